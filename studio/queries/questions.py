"""Questions to people about single calls, and what became of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Any

from runtime.domain.events import ApprovalRequest, ApprovalWhy, ResultStatus, ToolRequest, Verdict
from studio.models import Rollout, User
from studio.queries.approvers import is_asked
from studio.queries.asking import asked_last, rollouts_that_asked
from studio.queries.rollouts import ENDED
from studio.queries.told import Told, told_of
from studio.queries.viewer import Viewer, viewer_of, viewers_in
from studio.queries.votes import Poll, Vote, poll_of

AT_ONCE = 400  # rollouts whose events are read by one statement
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


def questions(user: User, *, is_open: bool | None = None, most: int | None = None) -> list[Question]:
    """The questions that the person may see, oldest first; open ones only, or those only that are not open any more.

    `most`: those of so many rollouts at most that asked last.
    """
    asking = rollouts_that_asked(user, is_open=is_open)
    chosen = list(asking if most is None else asked_last(asking)[:most])
    found = [question for rollout, all_ in _questions_in(chosen) for question in _shown(rollout, all_, user)]
    wanted = [question for question in found if is_open is None or question.is_open == is_open]
    return sorted(wanted, key=lambda question: question.asked_at)


def question_by_id(user: User, public_id: str) -> Question | None:
    """The question of that opaque id, if the person may see it."""
    prefix, _, rest = public_id.partition("_")
    name, _, seq = rest.rpartition("_")
    rollout = rollouts_that_asked(user).filter(public_id=f"r_{name}").first() if prefix == "a" else None
    if rollout is None:
        return None
    return next((question for question in _shown_questions(rollout, user) if str(question.seq) == seq), None)


def _shown_questions(rollout: Any, user: User) -> list[Question]:
    return _shown(rollout, questions_of(rollout), user)


def _shown(rollout: Any, found: list[Question], user: User) -> list[Question]:
    """All of a rollout that the person may see, else those that name the person."""
    if rollout.is_seen:
        return found
    return [question for question in found if {user.username, user.public_id} & {*question.request.approvers}]


def questions_of(rollout: Rollout) -> list[Question]:
    """All questions of a rollout, oldest first."""
    return next(found for _, found in _questions_in([rollout]))


def _questions_in(rollouts: Sequence[Rollout]) -> Iterator[tuple[Rollout, list[Question]]]:
    """Each rollout with all of its questions, oldest first; as many statements for many rollouts as for one."""
    for few in batched(rollouts, AT_ONCE):
        told = told_of([rollout.pk for rollout in few])
        for rollout in few:
            yield rollout, _questions(rollout, told[rollout.pk])


def _questions(rollout: Rollout, told: Told) -> list[Question]:
    recorded = {vote.id for _, vote in told.votes if vote.id}
    waiting = [vote for vote in told.waiting if vote.id not in recorded]
    votes = [*told.votes, *((rollout.next_seq + place, vote) for place, vote in enumerate(waiting))]
    found: list[Question] = []
    runs_with: dict[str, Mapping[str, Any] | None] = {}  # as the questions before about the call have left it
    for item in told.asked:
        call = told.calls.get(item[1].call_id)
        args = runs_with.get(item[1].call_id, call.args if call else None)
        found.append(_question(rollout, item, told, votes, args))
        runs_with[item[1].call_id] = found[-1].poll.args
    return found


def viewer_of_question(question: Question, user: User) -> Viewer:
    return viewer_of(question.rollout.session, user)


def viewers_of(found: Iterable[Question], user: User) -> list[tuple[Question, Viewer]]:
    """Each question with how the person looks at its session."""
    found = list(found)
    sessions = {question.rollout.session_id: question.rollout.session for question in found}
    viewers = viewers_in([*sessions.values()], user)
    return [(question, viewers[question.rollout.session_id]) for question in found]


def _question(
    rollout: Rollout,
    item: tuple[int, ApprovalRequest, int],
    told: Told,
    votes: Iterable[tuple[int, Vote]],
    args: Mapping[str, Any] | None,
) -> Question:
    seq, request, at = item
    call_id, call = request.call_id, told.calls.get(request.call_id)
    later = [other for other, again, _ in told.asked if again.call_id == call_id and other > seq]
    end = min(later, default=None)
    mine = [
        vote
        for at_seq, vote in votes
        if vote.decision.call_id == call_id and at_seq > seq and (end is None or at_seq < end)
    ]
    poll = poll_of(request, request.tool or (call.tool if call else ""), args, mine)
    ends = told.ends.get(call_id, ())
    is_closed = end is not None or any(ended > seq and _closes(status, request) for ended, status in ends)
    return Question(rollout, seq, request, call, at, poll, is_closed)


def _closes(status: ResultStatus, request: ApprovalRequest) -> bool:
    """Whether a result leaves nothing to decide; one that says that the outcome is not known leaves just that."""
    return status is not ResultStatus.UNKNOWN or request.why is not ApprovalWhy.UNKNOWN_OUTCOME
