"""One-time links, passwords with a growing delay, and the browsers in which a person is signed in."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from studio.errors import NotAllowed, StudioError
from studio.models import Browser, SignInDelay, SignInLink, User
from studio.services.audit import Actor, record

LINK_MINUTES = 15
FREE_TRIES = {SignInDelay.Kind.ACCOUNT: 3, SignInDelay.Kind.ADDRESS: 10}  # an office shares one address
LONGEST_DELAY_SECONDS = 900
FORGET_AFTER = timedelta(hours=1)


class LinkRefused(StudioError):
    """The link is unknown, used or too old; which of them is not said."""

    status = 403

    def __str__(self) -> str:
        return "This sign-in link was used already, or is too old. Ask for a new one: manage.py signin NAME."


class WrongPassword(StudioError):
    """Name or password is wrong, or the person is disabled; which of them is not said."""

    status = 403

    def __str__(self) -> str:
        return "Name and password do not match. Check both, or ask an administrator for a sign-in link."


class TooManyTries(StudioError):
    status = 429

    def __init__(self, wait_seconds: int) -> None:
        self.wait_seconds = wait_seconds

    def __str__(self) -> str:
        return f"Too many wrong passwords. Wait {self.wait_seconds} seconds, then try again."


@transaction.atomic
def make_sign_in_link(actor: Actor, user: User) -> str:
    """The secret of a link that signs the person in once within 15 minutes. Raises NotAllowed."""
    actor.must_administer("make sign-in links")
    if not user.is_active:
        raise NotAllowed(f"sign in as {user.username}, who is disabled", "an administrator to enable the account")
    secret = secrets.token_urlsafe(32)
    expires_at = timezone.now() + timedelta(minutes=LINK_MINUTES)
    SignInLink.objects.create(user=user, sha256=_sha256(secret), expires_at=expires_at)
    record(actor, "sign_in_link.made", user.username)
    return secret


def sign_in_url(secret: str) -> str:
    """The address to open, for printing where no request tells the host: `STUDIO_URL`, or this machine's."""
    return settings.BASE_URL + reverse("sign-in-link", args=[secret])


def is_usable_link(secret: str) -> bool:
    """True if the link would still sign somebody in."""
    return _usable_links(secret).exists()


@transaction.atomic
def use_sign_in_link(secret: str, origin: str) -> User:
    """The person of the link, which is used up by this. Raises LinkRefused."""
    link = _usable_links(secret).select_related("user").first()
    if link is None or not _usable_links(secret).update(used_at=timezone.now()):
        raise LinkRefused
    record(Actor(link.user, origin), "signed_in", link.user.username, after={"by": "link"})
    return link.user


def check_password(username: str, password: str, origin: str) -> User:
    """The person with this name and password. Raises TooManyTries, or WrongPassword.

    The try is counted before the password is looked at, so that many at once gain nothing.
    """
    subjects = [(SignInDelay.Kind.ACCOUNT, username[:64].casefold()), (SignInDelay.Kind.ADDRESS, origin)]
    _count_a_try(subjects)
    user = User.objects.filter(username=username).first()
    candidate = user or User()  # hashing for nobody takes as long as for somebody
    is_right = candidate.check_password(password) if user else _hash_in_vain(candidate, password)
    if user is None or not is_right or not user.is_active:
        raise WrongPassword
    with transaction.atomic():
        for kind, subject in subjects:
            SignInDelay.objects.filter(kind=kind, subject=subject).delete()
        record(Actor(user, origin), "signed_in", user.username, after={"by": "password"})
    return user


def remember_browser(user: User, *, session_key: str, origin: str, agent_name: str) -> None:
    """Notes where the person is signed in, so that they can end it."""
    Browser.objects.update_or_create(
        session_key=session_key, defaults={"user": user, "address": origin[:45], "agent_name": agent_name[:300]}
    )


@transaction.atomic
def sign_out_browser(actor: Actor, browser: Browser) -> None:
    """Ends the session of the browser; its pages and sockets close."""
    Session.objects.filter(session_key=browser.session_key).delete()
    Browser.objects.filter(pk=browser.pk).delete()
    record(actor, "signed_out", browser.user.username)


@transaction.atomic
def sign_out_everywhere(user: User, *, keep_session: str | None = None) -> None:
    """Ends all sessions of the person, except the named one."""
    browsers = Browser.objects.filter(user=user).exclude(session_key=keep_session or "")
    Session.objects.filter(session_key__in=list(browsers.values_list("session_key", flat=True))).delete()
    browsers.delete()


@transaction.atomic
def _count_a_try(subjects: list[tuple[SignInDelay.Kind, str]]) -> None:
    now = timezone.now()
    delays = [_delay(kind, subject, now) for kind, subject in subjects]
    wait = max((delay.until - now).total_seconds() for delay in delays)
    if wait > 0:
        raise TooManyTries(int(wait) + 1)
    for delay in delays:
        delay.failures += 1
        over = delay.failures - FREE_TRIES[SignInDelay.Kind(delay.kind)]
        seconds = min(2**over, LONGEST_DELAY_SECONDS) if over >= 0 else 0
        delay.until = now + timedelta(seconds=seconds)
        delay.save()


def _delay(kind: SignInDelay.Kind, subject: str, now: datetime) -> SignInDelay:
    delay, _ = SignInDelay.objects.select_for_update().get_or_create(
        kind=kind, subject=subject, defaults={"until": now}
    )
    if delay.until < now - FORGET_AFTER:
        delay.failures = 0
    return delay


def _hash_in_vain(candidate: User, password: str) -> bool:
    candidate.set_password(password)
    return False


def _usable_links(secret: str) -> QuerySet[SignInLink]:
    return SignInLink.objects.filter(
        sha256=_sha256(secret), used_at=None, expires_at__gt=timezone.now(), user__disabled_at=None
    )


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
