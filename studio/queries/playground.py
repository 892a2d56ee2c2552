"""What the playground shows of sessions beside their events."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, Q, QuerySet, Subquery

from studio.models import AmpSession, Event, Rollout, User
from studio.queries.harmless import harmless_text
from studio.queries.rollouts import rollouts_of
from studio.queries.sessions import own_sessions
from studio.store.codes import TYPE_CODES

MOST_SESSIONS = 100
STEP_STARTED = TYPE_CODES["step.started"]
STATUS_WORDS: dict[tuple[str, str], tuple[str, str]] = {
    ("running", ""): ("running", "running"),
    ("queued", ""): ("queued", "queued"),
    ("waiting", "input"): ("sleeping", "waiting"),
    ("waiting", "approval"): ("waiting", "needs a decision"),
    ("waiting", "model"): ("waiting", "waiting for the model"),
    ("waiting", "child"): ("waiting", "waiting for an agent"),
    ("waiting", "timer"): ("sleeping", "waiting for a timer"),
    ("paused", ""): ("paused", "paused"),
    ("completed", ""): ("finished", "finished"),
    ("failed", ""): ("failed", "failed"),
    ("cancelled", ""): ("stopped", "cancelled"),
}
"""Lifecycle and what it waits for, as the mark and the word that people see."""


@dataclass(frozen=True, slots=True)
class Status:
    """`mark` for the dot, `word` beside it."""

    mark: str
    word: str


def status_of(lifecycle: str, waiting_for: str) -> Status:
    """The lifecycle in plain words."""
    key = (lifecycle, waiting_for if lifecycle == "waiting" else "")
    return Status(*STATUS_WORDS.get(key, ("waiting", lifecycle)))


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as the list shows it; `status` is None before its first rollout."""

    session: AmpSession
    title: str
    last: str
    status: Status | None
    state: str = ""


def session_rows(user: User, words: str = "", *, archived: bool = False) -> list[SessionRow]:
    """The person's own sessions, the last used first; by words of title, last line or agent if any are given."""
    newest = Rollout.objects.filter(session=OuterRef("pk"), parent=None).order_by("-pk")
    found: QuerySet[AmpSession] = own_sessions(user, archived=archived).annotate(
        last_text=Subquery(newest.values("last_text")[:1]),
        lifecycle=Subquery(newest.values("lifecycle")[:1]),
        waiting_for=Subquery(newest.values("waiting_for")[:1]),
        business_state=Subquery(newest.values("business_state")[:1]),
    )
    for word in words.split()[:10]:
        found = found.filter(
            Q(title__icontains=word) | Q(last_text__icontains=word) | Q(entry_agent__name__icontains=word)
        )
    return [_row(session) for session in found[:MOST_SESSIONS]]


def _row(session: AmpSession) -> SessionRow:
    lifecycle = getattr(session, "lifecycle", None)
    status = status_of(lifecycle, getattr(session, "waiting_for", "")) if lifecycle else None
    return SessionRow(
        session,
        title_of(session),
        harmless_text(getattr(session, "last_text", "") or "", f"the last words of session {session.public_id}"),
        status,
        getattr(session, "business_state", "") or "",
    )


def title_of(session: AmpSession) -> str:
    """Its title, or what its agent is called."""
    return session.title or str(session.entry_agent or "Session")


def start_of_step(session: AmpSession, pos: int) -> int:
    """The pos at or before that one at which a step began: from there on no step is cut in two."""
    begun = Event.objects.filter(rollout__session=session, type=STEP_STARTED, pos__lte=pos)
    return begun.order_by("-pos").values_list("pos", flat=True).first() or 1


def rollouts_shown(session: AmpSession) -> Sequence[Rollout]:
    """The session's rollouts, oldest first, each with session and project."""
    return list(rollouts_of(session).select_related("agent", "version", "session", "session__project"))
