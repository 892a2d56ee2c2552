"""What is cleared away once in a while: keys and sessions that nobody can use any more."""

from datetime import timedelta

from django.contrib.sessions.models import Session
from django.utils import timezone

from studio.models import SignInLink
from studio.wiring import running

KEEP_LINKS = timedelta(days=30)  # so that "this link was used already" can still be said of a recent one


async def keep_house() -> None:
    """Forget old idempotency keys, expired browser sessions and old sign-in links."""
    await running().store.forget_old_keys()
    now = timezone.now()
    await Session.objects.filter(expire_date__lt=now).adelete()
    await SignInLink.objects.filter(expires_at__lt=now - KEEP_LINKS).adelete()
