"""Who is who, and who may still be here."""

from django.contrib.sessions.models import Session
from django.db.models import Prefetch, QuerySet
from django.utils import timezone

from studio.models import AmpSession, ApiToken, Browser, Membership, User


def is_still_allowed(user_id: int, token_id: int | None = None, session_key: str | None = None) -> bool:
    """True while the person is enabled and what let them in (a token, a browser's session) holds.

    One indexed read; sockets ask every second.
    """
    if token_id is not None:
        return ApiToken.objects.usable().filter(pk=token_id, user=user_id).exists()
    enabled = User.objects.enabled().filter(pk=user_id)
    if session_key is None:
        return enabled.exists()
    live = Session.objects.filter(session_key=session_key, expire_date__gt=timezone.now())
    return enabled.exists() and live.exists()


def is_new_here(user: User) -> bool:
    """Whether the person has not talked to any agent yet."""
    return not AmpSession.objects.filter(owner=user).exists()


def members(viewer: User) -> QuerySet[User]:
    """The people whom the viewer may see, with their roles; disabled ones last."""
    roles = Prefetch("memberships", Membership.objects.select_related("project").order_by("project__name"))
    return User.objects.visible_to(viewer).prefetch_related(roles).order_by("disabled_at", "username")


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """The person's own tokens, usable ones first."""
    return ApiToken.objects.filter(user=user).order_by("revoked_at", "-created_at")


def browsers_of(user: User) -> QuerySet[Browser]:
    """Where the person is signed in now; the newest first."""
    live = Session.objects.filter(expire_date__gt=timezone.now()).values("session_key")
    return Browser.objects.visible_to(user).filter(session_key__in=live).order_by("-created_at")
