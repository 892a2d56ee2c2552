"""What is cleared away once in a while: keys and sessions that nobody can use any more."""

from datetime import timedelta

from django.contrib.sessions.models import Session
from django.utils import timezone

from studio.models import Browser, Delivery, SignInDelay, SignInLink
from studio.queries.instants import microseconds_of
from studio.services.signin import FORGET_AFTER
from studio.wiring import running

KEEP_LINKS = timedelta(days=30)  # so that "this link was used already" can still be said of a recent one
KEEP_DELIVERIES = timedelta(days=90)  # what became of them; the keys under which they came are kept for ever


async def keep_house() -> None:
    """Forget old keys, expired browser sessions, old sign-in links, delays that are over, and notes of deliveries."""
    await running().store.forget_old_keys()
    now = timezone.now()
    await Session.objects.filter(expire_date__lt=now).adelete()
    await Browser.objects.exclude(session_key__in=Session.objects.values("session_key")).adelete()
    await SignInDelay.objects.filter(until__lt=now - FORGET_AFTER).adelete()
    await SignInLink.objects.filter(expires_at__lt=now - KEEP_LINKS).adelete()
    await Delivery.objects.filter(at__lt=microseconds_of(now - KEEP_DELIVERIES)).adelete()
