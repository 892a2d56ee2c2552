"""People decide what is to become of a call."""

from typing import ClassVar

from runtime.domain.events import ApprovalDecision, ApprovalWhy, Verdict
from runtime.ports import Accepted, Arrival, KeyReused
from studio.errors import NotAllowed, NotThereAny, Refused, StudioError
from studio.models import Rollout, User
from studio.public_id import new_event_id
from studio.queries.instants import instant
from studio.queries.questions import Decided, Question, questions_of, viewer_of_question
from studio.services.audit import Actor, entry
from studio.services.content import MAX_SHORT_BYTES, body_sha256, fit_text
from studio.services.faults import refusals
from studio.store import Decide
from studio.wiring import running

OF_UNKNOWN_OUTCOME = (Verdict.RUN_AGAIN, Verdict.HAPPENED, Verdict.SKIP)


class AlreadyDecided(StudioError):
    """Somebody was faster; says who decided what and when."""

    status: ClassVar[int] = 409

    def __init__(self, decided: Decided) -> None:
        self.decided = decided

    def __str__(self) -> str:
        words = {"run_again": "run again", "happened": "it happened", "skip": "skip"}
        verdict = words.get(self.decided.verdict, self.decided.verdict)
        return f"{self.decided.by} decided this before: {verdict}, at {instant(self.decided.at)}."


def decide(
    user: User, rollout: Rollout, call_id: str, verdict: str, result: str = "", reason: str = "", *, origin: str = ""
) -> Accepted:
    """Decides the newest question about that call. See `decide_question`."""
    asked = [question for question in questions_of(rollout) if question.request.call_id == call_id]
    if not asked:
        raise NotThereAny("Nobody is asked about that call.")
    return decide_question(user, asked[-1], verdict, result, reason, origin=origin)


def decide_question(
    user: User, question: Question, verdict: str, result: str = "", reason: str = "", *, origin: str = ""
) -> Accepted:
    """Accepts a person's decision; decided once, whoever clicks twice.

    The question's rollout comes with session and project. The same person with the same words again gets the first
    answer. Raises AlreadyDecided, NotAllowed, Refused, NotThereAny (no longer open), or a Faulty.
    """
    if not question.may_be_decided_by(viewer_of_question(question, user)):
        raise NotAllowed("decide this", "a supervisor of the project")
    rollout = question.rollout
    decision = _decision(user, question, verdict, result, running().redactor.redact(reason))
    arrival = Arrival(
        rollout=rollout.public_id,
        payload=decision,
        source=user.public_id,
        id=new_event_id(),
        sender="decision",
        route="decision",
        key=f"{rollout.public_id}:{question.request.call_id}:{question.seq}",
        body_sha256=body_sha256({"user": user.public_id, **decision.model_dump(mode="json")}),
    )
    if question.decided is None and not question.is_open:
        raise NotThereAny(f"This rollout is {rollout.lifecycle}; the question is no longer open.")
    with refusals():
        try:
            said = {"call_id": decision.call_id, "verdict": decision.verdict.value, "reason": decision.reason}
            told = entry(Actor(user, origin), "approval.decided", question.id, after=said)
            accepted = running().store.writer.call(Decide(arrival, entry=told))
        except KeyReused:
            raise _decided_before(question) from None
    running().nudge(rollout.public_id)
    return accepted


def _decision(user: User, question: Question, verdict: str, result: str, reason: str) -> ApprovalDecision:
    if question.request.why is not ApprovalWhy.UNKNOWN_OUTCOME or verdict not in OF_UNKNOWN_OUTCOME:
        raise Refused(f"Choose one of: {', '.join(OF_UNKNOWN_OUTCOME)}.")
    if result and verdict != Verdict.HAPPENED:
        raise Refused("A result goes with the verdict happened only. Leave it out.")
    return ApprovalDecision(
        call_id=question.request.call_id,
        verdict=Verdict(verdict),
        result=fit_text(result, "The result", MAX_SHORT_BYTES),
        reason=fit_text(reason, "The reason", MAX_SHORT_BYTES),
        by=str(user),
    )


def _decided_before(question: Question) -> StudioError:
    now = next((again for again in questions_of(question.rollout) if again.seq == question.seq), question)
    if now.decided is not None:
        return AlreadyDecided(now.decided)
    return NotThereAny("This question was decided just now. Look again in a moment.")
