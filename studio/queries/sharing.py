"""Whom a session is shown to besides those who take part, and whom it could be shown to."""

from typing import Any

from django.db.models import QuerySet

from studio.models import AmpSession, Membership, SessionShare, User
from studio.queries.instants import rfc3339
from studio.rights import Right, has_right, roles_with


def may_share(user: User, session: AmpSession) -> bool:
    """Its owner; a supervisor where it has none."""
    if session.owner_id is None:
        return has_right(user, session.project, Right.SUPERVISE)
    return session.owner_id == user.pk


def shares_of(session: AmpSession) -> QuerySet[SessionShare]:
    """The oldest first."""
    return session.shares.select_related("user").order_by("pk")


def possible_readers(user: User, session: AmpSession) -> QuerySet[User]:
    """The authors of the session's project who cannot read it in any case, by name."""
    roles = set(roles_with(Right.WRITE_AGENTS)) - set(roles_with(Right.READ_OTHERS))
    authors = Membership.objects.filter(project=session.project, role__in=roles).values("user")
    found = User.objects.visible_to(user).filter(pk__in=authors, disabled_at=None, is_administrator=False)
    return found.exclude(pk=user.pk).order_by("username")


def share_shown(share: SessionShare) -> dict[str, Any]:
    """As AMP tells of it."""
    return {"user": share.user.public_id, "name": str(share.user), "at": rfc3339(share.at)}
