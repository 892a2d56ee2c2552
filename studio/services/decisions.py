"""People decide what is to become of a call."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from runtime.domain.arguments import args_sha256
from runtime.domain.events import ApprovalDecision, Verdict
from runtime.ports import Accepted, Arrival, KeyReused
from studio.errors import NotAllowed, NotThereAny, Refused, StudioError
from studio.models import Rollout, User
from studio.public_id import new_event_id
from studio.queries.instants import instant
from studio.queries.questions import OF_UNKNOWN_OUTCOME, Decided, Question, questions_of, viewer_of_question
from studio.queries.rollouts import ENDED
from studio.queries.viewer import Viewer
from studio.services.audit import Actor, entry
from studio.services.content import MAX_SHORT_BYTES, body_sha256, fit_text
from studio.services.edited_arguments import edited_arguments
from studio.services.faults import refusals
from studio.services.grants import given_grant
from studio.store import Decide
from studio.store.sql import machine_now
from studio.wiring import running

ATTEMPTS = 20  # more people than that do not decide one question in the same moment
WORDS = {"run_again": "run again", "happened": "it happened", "skip": "skip"}


class AlreadyDecided(StudioError):
    """Somebody was faster; says who decided what and when."""

    status: ClassVar[int] = 409

    def __init__(self, decided: Decided) -> None:
        self.decided = decided

    def __str__(self) -> str:
        verdict = WORDS.get(self.decided.verdict, self.decided.verdict)
        return f"{self.decided.by} decided this before: {verdict}, at {instant(self.decided.at)}."


class ArgumentsChanged(StudioError):
    """What is approved is not what was shown."""

    status: ClassVar[int] = 409

    def __str__(self) -> str:
        return "The arguments have changed since they were shown to you. Look at them again, then decide."


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person says to a question.

    `result` goes with happened. `args_sha256` is the hash of the arguments that the person was shown, `args` are those
    that the person wants instead. `grant`: session, agent or value:ARGUMENT, to be asked no more about such calls.
    """

    verdict: str
    result: str = ""
    reason: str = ""
    args: Mapping[str, Any] | None = None
    args_sha256: str = ""
    grant: str = ""


def decide(
    user: User, rollout: Rollout, call_id: str, verdict: str, result: str = "", reason: str = "", *, origin: str = ""
) -> Accepted:
    """Decides the newest question about that call. See `decide_question`."""
    asked = [question for question in questions_of(rollout) if question.request.call_id == call_id]
    if not asked:
        raise NotThereAny("Nobody is asked about that call.")
    return decide_question(user, asked[-1], verdict, result, reason, origin=origin)


def decide_question(
    user: User,
    question: Question,
    verdict: str,
    result: str = "",
    reason: str = "",
    *,
    args: Mapping[str, Any] | None = None,
    args_sha256: str = "",
    grant: str = "",
    origin: str = "",
) -> Accepted:
    """Accepts a person's decision; decided once, whoever clicks twice. See `Wish` for the fields.

    The question's rollout comes with session and project. The same person with the same words again gets the first
    answer. Raises AlreadyDecided, ArgumentsChanged, NotAllowed, NotFitting (edited arguments; names the field),
    Refused, NotThereAny (no longer open), or a Faulty.
    """
    wish = Wish(verdict, result, running().redactor.redact(reason), args, args_sha256, grant)
    for _ in range(ATTEMPTS):
        accepted = _decide(user, question, wish, origin)
        if accepted is not None:
            return accepted
        question = next(again for again in questions_of(question.rollout) if again.seq == question.seq)
    raise NotThereAny("Others decide this in the same moment. Look again in a moment.")


def _decide(user: User, question: Question, wish: Wish, origin: str) -> Accepted | None:
    """None if somebody else's decision came first, so that the question is to be looked at anew."""
    rollout, viewer = question.rollout, viewer_of_question(question, user)
    if not question.may_be_decided_by(viewer):
        raise NotAllowed("decide this", "one of those who are asked, or a supervisor of the project")
    mine = [vote for vote in question.poll.votes if vote.source == user.public_id and _says(vote.decision, wish)]
    if mine and not _is_given_anew(user, question, wish):
        return Accepted(id=mine[-1].id, rollout=rollout.public_id, repeated=True)
    _must_be_open(question)
    decision = _decision(user, question, wish)
    if decision.verdict is Verdict.APPROVE:
        _must_be_free_to_approve(viewer, question)
    given = given_grant(user, viewer, question, decision, wish.grant)
    decision = decision.model_copy(update={"grant": given.word if given else ""})
    said = {"call_id": decision.call_id, "verdict": decision.verdict.value, "reason": decision.reason}
    said |= {"args_sha256": decision.args_sha256, "grant": decision.grant} if decision.args_sha256 else {}
    job = Decide(
        _arrival(user, question, decision),
        grant=given.grant if given else None,
        entry=entry(Actor(user, origin), "approval.decided", question.id, after=said),
    )
    with refusals():
        try:
            accepted = running().store.writer.call(job)
        except KeyReused:
            return None
    running().nudge(rollout.public_id)
    return accepted


def _says(decision: ApprovalDecision, wish: Wish) -> bool:
    """Whether it is what the person wishes, said before."""
    args = dict(wish.args) if wish.args is not None else None
    said = (decision.verdict.value, decision.result, decision.reason)
    return said == (wish.verdict, wish.result, wish.reason) and decision.edited_args == args


def _is_given_anew(user: User, question: Question, wish: Wish) -> bool:
    """Whether the person's leave counts no more, since somebody edited the arguments, and is wished for those."""
    if wish.verdict != Verdict.APPROVE or question.decided is not None:
        return False
    return user.public_id not in question.poll.approved_by and wish.args_sha256 == question.args_sha256


def _must_be_open(question: Question) -> None:
    """Raises AlreadyDecided, NotThereAny."""
    rollout, expires_at = question.rollout, question.request.expires_at
    if question.decided is not None:
        raise AlreadyDecided(question.decided)
    if not question.is_open:
        why = f"This rollout is {rollout.lifecycle}" if rollout.lifecycle in ENDED else "The call was stopped"
        raise NotThereAny(f"{why}; the question is no longer open.")
    if expires_at and machine_now() >= expires_at:
        raise NotThereAny(f"This question was open until {instant(expires_at)}. It can be decided no more.")


def _must_be_free_to_approve(viewer: Viewer, question: Question) -> None:
    """Raises NotAllowed for what one asked for oneself, NotThereAny for what one has approved."""
    request = question.request
    if request.requested_by and request.requested_by == viewer.user:
        raise NotAllowed("approve what your own message led to", "somebody else who may decide")
    if viewer.user in question.poll.approved_by:
        so_far = f"{len(question.poll.approved_by)} of {request.needed} have"
        raise NotThereAny(f"You have approved this already. {so_far} approved; another person must do so too.")


def _arrival(user: User, question: Question, decision: ApprovalDecision) -> Arrival:
    """Its key is the place of the decision among those about this question: each place is taken once."""
    rollout, place = question.rollout, len(question.poll.votes)
    key = f"{rollout.public_id}:{question.request.call_id}:{question.seq}"
    return Arrival(
        rollout=rollout.public_id,
        payload=decision,
        source=user.public_id,
        id=new_event_id(),
        sender="decision",
        route="decision",
        key=f"{key}:{place}" if place else key,
        body_sha256=body_sha256({"user": user.public_id, **decision.model_dump(mode="json")}),
    )


def _decision(user: User, question: Question, wish: Wish) -> ApprovalDecision:
    """Raises Refused, NotFitting, ArgumentsChanged."""
    allowed = OF_UNKNOWN_OUTCOME if question.is_of_unknown_outcome else (Verdict.APPROVE, Verdict.DENY)
    if wish.verdict not in allowed:
        raise Refused(f"Choose one of: {', '.join(allowed)}.")
    verdict = Verdict(wish.verdict)
    if wish.result and verdict is not Verdict.HAPPENED:
        raise Refused("A result goes with the verdict happened only. Leave it out.")
    if verdict is not Verdict.APPROVE and (wish.args is not None or wish.grant):
        raise Refused("Arguments and a standing grant go with the verdict approve only. Leave them out.")
    decision = ApprovalDecision(
        call_id=question.request.call_id,
        verdict=verdict,
        result=fit_text(wish.result, "The result", MAX_SHORT_BYTES),
        reason=fit_text(wish.reason, "The reason", MAX_SHORT_BYTES),
        by=str(user),
    )
    return decision if verdict is not Verdict.APPROVE else decision.model_copy(update=_leave(question, wish))


def _leave(question: Question, wish: Wish) -> dict[str, Any]:
    """What is approved: the arguments as they were shown, or as the person wants them instead.

    Without a hash the arguments are meant that the question has now; they change only when somebody edits them.
    """
    if wish.args_sha256 and wish.args_sha256 != question.args_sha256:
        raise ArgumentsChanged
    edited = edited_arguments(question, wish.args)
    if edited is None:
        return {"args_sha256": question.args_sha256}
    return {"args_sha256": args_sha256(question.tool, edited), "edited_args": edited}
