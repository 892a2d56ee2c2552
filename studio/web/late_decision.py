"""A decision that came too late: who was first, and with what."""

from dataclasses import dataclass

from studio.models import User
from studio.queries.instants import instant
from studio.queries.questions import Question
from studio.web.approval_detail import opened
from studio.web.decision_card import STUDIO, Decision, Given

DID = {
    "approved": "approved it",
    "granted": "approved it",
    "edited": "approved it with changes",
    "denied": "denied it",
    "happened": "decided that it happened",
    "run_again": "decided to run it again",
    "skip": "decided to skip it",
}


@dataclass(frozen=True, slots=True)
class LateDecision:
    """What to say to who came too late. `id` is that of the question, `at` when it was decided, in RFC 3339."""

    id: str
    words: str
    at: str
    changes: tuple[Given, ...]
    reason: str


def late_decision(question: Question, user: User) -> LateDecision:
    """What became of a question that is decided, for somebody who has just tried to decide it."""
    assert question.decided is not None, "nobody is late for a question that is open"
    card, final = opened(question, user).card, question.poll.final
    is_own = final is not None and final.source == user.public_id
    return LateDecision(
        question.id, _words(card, is_own=is_own), instant(question.decided.at), tuple(card.changes), card.reason
    )


def _words(card: Decision, *, is_own: bool) -> str:
    if card.by == STUDIO:
        return "Nobody decided in time, so it was denied"
    did = DID.get(card.outcome, f"decided: {card.verdict}")
    return f"You were here before and {did}" if is_own else f"{card.by} got here first and {did}"
