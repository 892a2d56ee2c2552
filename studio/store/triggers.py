"""Where what comes through a trigger goes to, and the keys that let it come once."""

import hashlib
from dataclasses import dataclass

from django.db.models import Q

from studio.models import AmpSession, Rollout, SessionState, Trigger, TriggerKey, TriggerSession
from studio.store.row import ENDED

DIGEST_BYTES = 16
AT_REST = ("", "input")
"""What a rollout waits for whose work is done: the next message."""


@dataclass(frozen=True, slots=True)
class Home:
    """The open session that something belongs to, and the agent's living rollout in it; neither may be there.

    `is_busy`: what its trigger brought there before is still worked on.
    """

    session: AmpSession | None = None
    rollout: Rollout | None = None
    is_busy: bool = False


def key_digest(trigger: Trigger, key: str) -> bytes:
    """By which a key of the trigger is found again."""
    return _digest(str(trigger.pk), "key", key)


def group_digest(trigger: Trigger, value: str) -> bytes:
    """By which the session of one value of `session_by` is found again; empty without a value."""
    return _digest(str(trigger.pk), "session", value) if value else b""


def used_key(digests: list[bytes], alias: str = "default") -> TriggerKey | None:
    """What was accepted under one of the keys."""
    return TriggerKey.objects.using(alias).select_related("session").filter(digest__in=digests).first()


def home_of(trigger: Trigger, group: bytes, alias: str = "default") -> Home:
    """By the value of `session_by`, or for a schedule where it led to last, as long as that is worked on."""
    if trigger.kind == Trigger.Kind.SCHEDULE:
        session = _open_session(trigger.last_session_id, alias)
        if session is None or not _is_busy(session, alias):
            return Home()
        return Home(session, _living(trigger, session, alias), is_busy=True)
    row = TriggerSession.objects.using(alias).filter(digest=group).first() if group else None
    session = _open_session(row.session_id, alias) if row else None
    return Home(session, _living(trigger, session, alias)) if session else Home()


def _open_session(pk: int | None, alias: str) -> AmpSession | None:
    return AmpSession.objects.using(alias).filter(pk=pk, state=SessionState.OPEN).first() if pk else None


def _living(trigger: Trigger, session: AmpSession, alias: str) -> Rollout | None:
    mine = Rollout.objects.using(alias).filter(session=session, agent_id=trigger.agent_id, parent=None)
    newest = mine.order_by("-pk").first()
    return newest if newest is not None and newest.lifecycle not in ENDED else None


def _is_busy(session: AmpSession, alias: str) -> bool:
    at_work = Q(lifecycle__in=["queued", "running", "paused"]) | Q(pending__gt=0)
    waits = Q(lifecycle="waiting") & ~Q(waiting_for__in=AT_REST)
    return Rollout.objects.using(alias).filter(session=session).filter(at_work | waits).exists()


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).digest()[:DIGEST_BYTES]
