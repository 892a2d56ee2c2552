"""Questions to people about single calls, and what became of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from runtime.domain.events import ApprovalDecision, ApprovalRequest, ToolRequest
from runtime.domain.events.versions import load
from studio.models import Event, PendingEvent, Rollout, User
from studio.queries.instants import instant
from studio.queries.rollouts import ENDED, visible_rollouts
from studio.queries.viewer import Viewer, viewer_of
from studio.store.codes import TYPE_CODES

ASKED, DECIDED, REQUESTED = (
    TYPE_CODES["approval.request"],
    TYPE_CODES["approval.decision"],
    TYPE_CODES["tool.request"],
)


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided, by whom (the name as shown), and when, in microseconds."""

    verdict: str
    by: str
    at: int
    id: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question; `seq` is that of its `approval.request`. `decided` is None while it is open."""

    rollout: Rollout
    seq: int
    request: ApprovalRequest
    call: ToolRequest | None
    asked_at: int
    decided: Decided | None

    @property
    def id(self) -> str:
        return f"a_{self.rollout.public_id.removeprefix('r_')}_{self.seq}"

    @property
    def is_open(self) -> bool:
        return self.decided is None and self.rollout.lifecycle not in ENDED

    def may_be_decided_by(self, viewer: Viewer) -> bool:
        """Supervisors; who is named; and where nobody is named those who take part in the session."""
        named = self.request.approvers
        return viewer.supervises or viewer.user in named or (not named and viewer.is_participant)


def questions(user: User, *, is_open: bool | None = None) -> list[Question]:
    """The questions of the rollouts that the person may see, oldest first; open ones only, or decided ones only."""
    rollouts = visible_rollouts(user).filter(tool_calls__gt=0)
    if is_open:
        rollouts = rollouts.exclude(lifecycle__in=ENDED)
    asking = rollouts.filter(trajectory__type=ASKED).distinct()
    found = [question for rollout in asking for question in questions_of(rollout)]
    chosen = [question for question in found if is_open is None or question.is_open == is_open]
    return sorted(chosen, key=lambda question: question.asked_at)


def question_by_id(user: User, public_id: str) -> Question | None:
    """The question of that opaque id, if the person may see its rollout."""
    prefix, _, rest = public_id.partition("_")
    name, _, seq = rest.rpartition("_")
    rollout = visible_rollouts(user).filter(public_id=f"r_{name}").first() if prefix == "a" else None
    if rollout is None:
        return None
    return next((question for question in questions_of(rollout) if str(question.seq) == seq), None)


def questions_of(rollout: Rollout) -> list[Question]:
    """All questions of a rollout, oldest first."""
    rows = Event.objects.filter(rollout=rollout, type__in=(ASKED, DECIDED)).order_by("seq")
    asked, decided = [], []
    for seq, type_, v, payload, at, id_ in rows.values_list("seq", "type", "v", "payload", "at", "id"):
        if type_ == ASKED:
            asked.append((seq, load("approval.request", v, payload), at))
        else:
            decided.append((seq, load("approval.decision", v, payload), at, id_ or ""))
    decided += _waiting_decisions(rollout) if asked else []
    calls = _calls(rollout, {request.call_id for _, request, _ in asked if isinstance(request, ApprovalRequest)})
    return [
        Question(rollout, seq, request, calls.get(request.call_id), at, _answer(seq, request.call_id, decided))
        for seq, request, at in asked
        if isinstance(request, ApprovalRequest)
    ]


def question_shown(question: Question, viewer: Viewer) -> dict[str, Any]:
    """A question as AMP tells of it; the exact arguments for those who may decide it."""
    decided, call = question.decided, question.call
    shows_arguments = question.may_be_decided_by(viewer)
    return {
        "id": question.id,
        "session": question.rollout.session.public_id,
        "rollout": question.rollout.public_id,
        "agent": question.rollout.agent.name,
        "state": "decided" if decided else "pending" if question.is_open else "withdrawn",
        "why": question.request.why.value,
        "call_id": question.request.call_id,
        "tool": call.tool if call else None,
        "args": (call.args if call.args is not None else call.args_raw) if call and shows_arguments else None,
        "asked_at": instant(question.asked_at),
        "expires_at": instant(question.request.expires_at) if question.request.expires_at else None,
        "verdicts": ["run_again", "happened", "skip"] if question.is_open and shows_arguments else [],
        "decided": {"verdict": decided.verdict, "by": decided.by, "at": instant(decided.at)} if decided else None,
    }


def viewer_of_question(question: Question, user: User) -> Viewer:
    return viewer_of(question.rollout.session, user)


def _waiting_decisions(rollout: Rollout) -> list[tuple[int, Any, int, str]]:
    """Decisions that are accepted and not yet in the trajectory: they come after everything."""
    rows = PendingEvent.objects.filter(rollout=rollout, type=DECIDED).order_by("order")
    waiting = rows.values_list("v", "payload", "received_at", "id")
    return [(rollout.next_seq, load("approval.decision", v, payload), at, id_) for v, payload, at, id_ in waiting]


def _answer(seq: int, call_id: str, decided: Iterable[tuple[int, Any, int, str]]) -> Decided | None:
    for decided_seq, decision, at, id_ in decided:
        if decided_seq > seq and isinstance(decision, ApprovalDecision) and decision.call_id == call_id:
            return Decided(decision.verdict.value, decision.by, at, id_)
    return None


def _calls(rollout: Rollout, call_ids: set[str]) -> dict[str, ToolRequest]:
    steps = {int(call_id.partition(".")[0]) for call_id in call_ids if call_id.partition(".")[0].isdecimal()}
    rows = Event.objects.filter(rollout=rollout, type=REQUESTED, step__in=steps).values_list("v", "payload")
    requests = (load("tool.request", v, payload) for v, payload in rows)
    return {request.call_id: request for request in requests if isinstance(request, ToolRequest)}
