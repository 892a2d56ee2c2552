"""Questions to people about single calls, and what became of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.domain.events import (
    ApprovalDecision,
    ApprovalRequest,
    ApprovalWhy,
    ResultStatus,
    ToolRequest,
    ToolResult,
    Verdict,
)
from runtime.domain.events.versions import load
from studio.models import Event, PendingEvent, Rollout, User
from studio.queries.approvers import is_asked
from studio.queries.asking import rollouts_that_asked
from studio.queries.rollouts import ENDED
from studio.queries.viewer import Viewer, viewer_of
from studio.queries.votes import Poll, Vote, poll_of
from studio.store.codes import TYPE_CODES

ASKED, DECIDED = TYPE_CODES["approval.request"], TYPE_CODES["approval.decision"]
REQUESTED, RESULT = TYPE_CODES["tool.request"], TYPE_CODES["tool.result"]
OF_UNKNOWN_OUTCOME = (Verdict.RUN_AGAIN, Verdict.HAPPENED, Verdict.SKIP)


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided, by whom (the name as shown), and when it was accepted, in microseconds."""

    verdict: str
    by: str
    at: int
    id: str
    reason: str = ""
    edited_args: Mapping[str, Any] | None = None
    grant: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One question; `seq` is that of its `approval.request`. `decided` is None while it is open.

    `is_closed`: it went on to others, or a stop took its call away.
    """

    rollout: Rollout
    seq: int
    request: ApprovalRequest
    call: ToolRequest | None
    asked_at: int
    poll: Poll
    is_closed: bool = False

    @property
    def id(self) -> str:
        return f"a_{self.rollout.public_id.removeprefix('r_')}_{self.seq}"

    @property
    def tool(self) -> str:
        return self.request.tool or (self.call.tool if self.call else "")

    @property
    def decided(self) -> Decided | None:
        vote = self.poll.final
        if vote is None:
            return None
        said = vote.decision
        return Decided(said.verdict.value, said.by, vote.at, vote.id, said.reason, said.edited_args, said.grant)

    @property
    def approved_by(self) -> list[str]:
        """The names of those who have approved the arguments as they are now."""
        names = {vote.source: vote.decision.by for vote in self.poll.votes}
        return [names[source] for source in self.poll.approved_by]

    @property
    def args_sha256(self) -> str:
        """What an approval is bound to: the tool and the arguments as they are now."""
        return self.poll.sha256

    @property
    def args(self) -> Mapping[str, Any] | str | None:
        """The arguments as they are now: the model's own, or as the last edit left them; raw if they are no object."""
        if self.poll.args is not None:
            return self.poll.args
        return self.call.args_raw if self.call else None

    @property
    def is_open(self) -> bool:
        return self.decided is None and not self.is_closed and self.rollout.lifecycle not in ENDED

    @property
    def is_of_unknown_outcome(self) -> bool:
        return self.request.why is ApprovalWhy.UNKNOWN_OUTCOME

    def may_be_decided_by(self, viewer: Viewer) -> bool:
        """Supervisors; who is named, by role or as a person; where nobody is named those who take part."""
        return is_asked(self.request.approvers, viewer)

    def verdicts_for(self, viewer: Viewer) -> list[Verdict]:
        """What the viewer may say to it now."""
        if not self.is_open or not self.may_be_decided_by(viewer):
            return []
        if self.is_of_unknown_outcome:
            return list(OF_UNKNOWN_OUTCOME)
        is_own = bool(self.request.requested_by) and self.request.requested_by == viewer.user
        has_approved = viewer.user in self.poll.approved_by
        return [Verdict.DENY] if is_own or has_approved else [Verdict.APPROVE, Verdict.DENY]


def questions(user: User, *, is_open: bool | None = None) -> list[Question]:
    """The questions that the person may see, oldest first; open ones only, or those only that are not open any more."""
    asking = rollouts_that_asked(user, is_open=is_open)
    found = [question for rollout in asking for question in _shown_questions(rollout, user)]
    chosen = [question for question in found if is_open is None or question.is_open == is_open]
    return sorted(chosen, key=lambda question: question.asked_at)


def question_by_id(user: User, public_id: str) -> Question | None:
    """The question of that opaque id, if the person may see it."""
    prefix, _, rest = public_id.partition("_")
    name, _, seq = rest.rpartition("_")
    rollout = rollouts_that_asked(user).filter(public_id=f"r_{name}").first() if prefix == "a" else None
    if rollout is None:
        return None
    return next((question for question in _shown_questions(rollout, user) if str(question.seq) == seq), None)


def _shown_questions(rollout: Any, user: User) -> list[Question]:
    """All of a rollout that the person may see, else those that name the person."""
    found = questions_of(rollout)
    if rollout.is_seen:
        return found
    return [question for question in found if {user.username, user.public_id} & {*question.request.approvers}]


def questions_of(rollout: Rollout) -> list[Question]:
    """All questions of a rollout, oldest first."""
    waiting = _waiting_votes(rollout)  # read first: what moves to the trajectory meanwhile is then seen there
    rows = Event.objects.filter(rollout=rollout, type__in=(ASKED, DECIDED)).order_by("seq")
    asked: list[tuple[int, ApprovalRequest, int]] = []
    votes: list[tuple[int, Vote]] = []
    for seq, type_, v, payload, at, received_at, id_, source in rows.values_list(
        "seq", "type", "v", "payload", "at", "received_at", "id", "source"
    ):
        if type_ == ASKED and isinstance(request := load("approval.request", v, payload), ApprovalRequest):
            asked.append((seq, request, at))
        elif isinstance(decision := load("approval.decision", v, payload), ApprovalDecision):
            votes.append((seq, Vote(decision, source or "system", received_at or at, id_ or "")))
    if not asked:
        return []
    recorded = {vote.id for _, vote in votes if vote.id}
    votes += [(rollout.next_seq + len(votes), vote) for vote in waiting if vote.id not in recorded]
    calls = _calls(rollout, {request.call_id for _, request, _ in asked})
    ends = _ends(rollout, {request.call_id for _, request, _ in asked})
    found: list[Question] = []
    runs_with: dict[str, Mapping[str, Any] | None] = {}  # as the questions before about the call have left it
    for item in asked:
        call = calls.get(item[1].call_id)
        args = runs_with.get(item[1].call_id, call.args if call else None)
        found.append(_question(rollout, item, asked, votes, call, args, ends))
        runs_with[item[1].call_id] = found[-1].poll.args
    return found


def viewer_of_question(question: Question, user: User) -> Viewer:
    return viewer_of(question.rollout.session, user)


def viewers_of(found: Iterable[Question], user: User) -> list[tuple[Question, Viewer]]:
    """Each question with how the person looks at its session; each session is read once."""
    known: dict[int, Viewer] = {}
    pairs = []
    for question in found:
        pk = question.rollout.session_id
        known[pk] = known[pk] if pk in known else viewer_of_question(question, user)
        pairs.append((question, known[pk]))
    return pairs


def _question(
    rollout: Rollout,
    item: tuple[int, ApprovalRequest, int],
    asked: Sequence[tuple[int, ApprovalRequest, int]],
    votes: Iterable[tuple[int, Vote]],
    call: ToolRequest | None,
    args: Mapping[str, Any] | None,
    ends: Mapping[str, Sequence[tuple[int, ResultStatus]]],
) -> Question:
    seq, request, at = item
    call_id = request.call_id
    later = [other for other, again, _ in asked if again.call_id == call_id and other > seq]
    end = min(later, default=None)
    mine = [
        vote
        for at_seq, vote in votes
        if vote.decision.call_id == call_id and at_seq > seq and (end is None or at_seq < end)
    ]
    poll = poll_of(request, request.tool or (call.tool if call else ""), args, mine)
    is_closed = end is not None or any(ended > seq and _closes(status, request) for ended, status in ends[call_id])
    return Question(rollout, seq, request, call, at, poll, is_closed)


def _waiting_votes(rollout: Rollout) -> list[Vote]:
    """Decisions that are accepted and not yet in the trajectory: they come after everything."""
    rows = PendingEvent.objects.filter(rollout=rollout, type=DECIDED).order_by("order")
    waiting = rows.values_list("v", "payload", "source", "received_at", "id")
    loaded = [(load("approval.decision", v, payload), source, at, id_) for v, payload, source, at, id_ in waiting]
    return [
        Vote(decision, source or "system", at, id_)
        for decision, source, at, id_ in loaded
        if isinstance(decision, ApprovalDecision)
    ]


def _calls(rollout: Rollout, call_ids: set[str]) -> dict[str, ToolRequest]:
    rows = Event.objects.filter(rollout=rollout, type=REQUESTED, step__in=_steps(call_ids)).values_list("v", "payload")
    requests = (load("tool.request", v, payload) for v, payload in rows)
    return {request.call_id: request for request in requests if isinstance(request, ToolRequest)}


def _ends(rollout: Rollout, call_ids: set[str]) -> Mapping[str, Sequence[tuple[int, ResultStatus]]]:
    """Where the results of these calls stand, and what they say, by call."""
    rows = Event.objects.filter(rollout=rollout, type=RESULT, step__in=_steps(call_ids)).order_by("seq")
    ends: dict[str, list[tuple[int, ResultStatus]]] = {call_id: [] for call_id in call_ids}
    for seq, v, payload in rows.values_list("seq", "v", "payload"):
        result = load("tool.result", v, payload)
        if isinstance(result, ToolResult) and result.call_id in ends:
            ends[result.call_id].append((seq, result.status))
    return ends


def _closes(status: ResultStatus, request: ApprovalRequest) -> bool:
    """Whether a result leaves nothing to decide; one that says that the outcome is not known leaves just that."""
    return status is not ResultStatus.UNKNOWN or request.why is not ApprovalWhy.UNKNOWN_OUTCOME


def _steps(call_ids: set[str]) -> set[int]:
    return {int(call_id.partition(".")[0]) for call_id in call_ids if call_id.partition(".")[0].isdecimal()}
