"""What the trajectories and queues of some rollouts say about calls that people were asked about."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from runtime.domain.events import ApprovalDecision, ApprovalRequest, ResultStatus, ToolRequest, ToolResult
from runtime.domain.events.versions import load
from studio.models import Event, PendingEvent
from studio.queries.votes import Vote
from studio.store.codes import TYPE_CODES

ASKED, DECIDED = TYPE_CODES["approval.request"], TYPE_CODES["approval.decision"]
REQUESTED, RESULT = TYPE_CODES["tool.request"], TYPE_CODES["tool.result"]


@dataclass(slots=True)
class Told:
    """Of one rollout. `asked`: (seq, what was asked, at), `votes`: (seq, vote), `ends` of calls: (seq, status).

    `waiting` are the decisions that are accepted and not yet in the trajectory: they come after everything.
    """

    asked: list[tuple[int, ApprovalRequest, int]] = field(default_factory=list)
    votes: list[tuple[int, Vote]] = field(default_factory=list)
    waiting: list[Vote] = field(default_factory=list)
    calls: dict[str, ToolRequest] = field(default_factory=dict)
    ends: defaultdict[str, list[tuple[int, ResultStatus]]] = field(default_factory=lambda: defaultdict(list))


def told_of(rollouts: Sequence[int]) -> defaultdict[int, Told]:
    """By primary key. The queue is read first: what moves to the trajectory meanwhile is then seen there."""
    told: defaultdict[int, Told] = defaultdict(Told)
    _read_waiting(rollouts, told)
    _read_asked(rollouts, told)
    _read_calls(rollouts, told)
    return told


def _read_waiting(rollouts: Sequence[int], told: defaultdict[int, Told]) -> None:
    rows = PendingEvent.objects.filter(rollout__in=rollouts, type=DECIDED).order_by("order")
    for rollout, v, payload, source, at, id_ in rows.values_list(
        "rollout", "v", "payload", "source", "received_at", "id"
    ):
        if isinstance(decision := load("approval.decision", v, payload), ApprovalDecision):
            told[rollout].waiting.append(Vote(decision, source or "system", at, id_))


def _read_asked(rollouts: Sequence[int], told: defaultdict[int, Told]) -> None:
    rows = Event.objects.filter(rollout__in=rollouts, type__in=(ASKED, DECIDED)).order_by("rollout", "seq")
    for rollout, seq, type_, v, payload, at, received_at, id_, source in rows.values_list(
        "rollout", "seq", "type", "v", "payload", "at", "received_at", "id", "source"
    ):
        if type_ == ASKED and isinstance(request := load("approval.request", v, payload), ApprovalRequest):
            told[rollout].asked.append((seq, request, at))
        elif isinstance(decision := load("approval.decision", v, payload), ApprovalDecision):
            told[rollout].votes.append((seq, Vote(decision, source or "system", received_at or at, id_ or "")))


def _read_calls(rollouts: Sequence[int], told: defaultdict[int, Told]) -> None:
    """The calls that people were asked about, and their results."""
    asked = {rollout: {request.call_id for _, request, _ in one.asked} for rollout, one in told.items()}
    steps = {step_of(call_id) for calls in asked.values() for call_id in calls}
    rows = Event.objects.filter(rollout__in=rollouts, type__in=(REQUESTED, RESULT), step__in=steps)
    for rollout, seq, type_, v, payload in rows.order_by("rollout", "seq").values_list(
        "rollout", "seq", "type", "v", "payload"
    ):
        event = load("tool.request" if type_ == REQUESTED else "tool.result", v, payload)
        if not isinstance(event, ToolRequest | ToolResult) or event.call_id not in asked.get(rollout, ()):
            continue
        if isinstance(event, ToolRequest):
            told[rollout].calls[event.call_id] = event
        else:
            told[rollout].ends[event.call_id].append((seq, event.status))


def step_of(call_id: str) -> int:
    """The number of the call's step; -1 for what is no such id."""
    step = call_id.partition(".")[0]
    return int(step) if step.isdecimal() else -1
