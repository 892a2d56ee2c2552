"""What time alone makes happen: timers, questions that nobody decides, stays that are too long. Pure.

Times in microseconds since 1970, UTC.
"""

from collections.abc import Iterator

from runtime.domain.aftermath import follow_from
from runtime.domain.agent import Agent
from runtime.domain.dealings import Timer, deadline_id
from runtime.domain.decide import compensations
from runtime.domain.events import (
    ApprovalDecision,
    ApprovalRequest,
    Payload,
    RolloutCancelled,
    RolloutPaused,
    TimerTrigger,
    Verdict,
)
from runtime.domain.machine import max_stay
from runtime.domain.moves import overstayed
from runtime.domain.recurrence import TimeProblem, next_due
from runtime.domain.state import Call, State
from runtime.domain.trajectory import STUDIO, SYSTEM, Draft

SUPERVISORS = "supervisors"


def next_deadline(state: State, agent: Agent) -> int:
    """When the next of them is due; 0 = never. A cancelled rollout has something due until it has undone everything."""
    if state.ended:
        return 1 if compensations(state, agent) else 0
    return min(_times(state, agent), default=0)


def _times(state: State, agent: Agent) -> Iterator[int]:
    yield from (timer.due_at for timer in state.dealings.timers)
    yield from (asked.deadline for asked in state.dealings.escalations if asked.deadline)
    yield from (call.question.expires_at for call in _asked(state) if call.question and call.question.expires_at)
    stay = _stay_ends(state, agent)
    if stay is not None:
        yield stay[0]


def rung(state: State, now: int) -> list[tuple[str, Payload]]:
    """What goes through the queue when it is due, each with the key that makes it come once; in order of due times."""
    due: list[tuple[int, str, Payload]] = []
    for timer in state.dealings.timers:
        if timer.due_at <= now:
            due.append((timer.due_at, f"timer:{timer.id}:{timer.due_at}", _trigger(timer, now)))
    for asked in state.dealings.escalations:
        if asked.deadline and asked.deadline <= now:
            key = f"timer:{deadline_id(asked.call_id)}"
            due.append((asked.deadline, key, _unanswered(asked.call_id, asked.question, asked.deadline, asked.then)))
    return [(key, payload) for _, key, payload in sorted(due, key=lambda one: one[0])]


def _trigger(timer: Timer, now: int) -> TimerTrigger:
    following, missed = 0, 0
    if timer.every:
        try:
            following, missed = next_due(timer.due_at, timer.every, timer.zone, now, first_us=timer.first)
        except TimeProblem:  # it has come to the end of the calendar
            following = 0
    return TimerTrigger(
        timer_id=timer.id,
        note=timer.note,
        due_at=timer.due_at,
        missed=missed,
        urgent=timer.urgent,
        next_due=following,
    )


def _unanswered(call_id: str, question: str, deadline: int, then: str) -> Payload:
    words = f"No supervisor answered in time: {question}".rstrip(": ")
    match then:
        case "pause":
            return RolloutPaused(by=STUDIO, reason=words)
        case "cancel":
            return RolloutCancelled(by=STUDIO, reason=words)
        case _:
            return TimerTrigger(timer_id=deadline_id(call_id), note=words, due_at=deadline)


def overdue(state: State, agent: Agent, now: int) -> list[Draft]:
    """What is recorded as soon as it is due: questions that end undecided, and the end of the longest stay."""
    if state.ended or state.paused:
        return []
    drafts: list[Draft] = []
    for call in _asked(state):
        if call.question is not None and 0 < call.question.expires_at <= now:
            drafts.extend(_expired(state, agent, call, call.question, now))
    stay = _stay_ends(state, agent)
    if stay is not None and stay[0] <= now and not drafts:
        drafts.append(Draft(overstayed(state, agent, stay[1])))
    return drafts


def _expired(state: State, agent: Agent, call: Call, question: ApprovalRequest, now: int) -> list[Draft]:
    if question.then == "escalate" and not question.escalated:
        again = question.model_copy(
            update={"approvers": (SUPERVISORS,), "escalated": True, "expires_at": now + question.expires_after}
        )
        return [Draft(again, step=call.step, cause=call.seq)]
    reason = "nobody decided in time"
    denied = ApprovalDecision(
        call_id=call.id, verdict=Verdict.DENY, args_sha256=question.args_sha256, by=STUDIO, reason=reason
    )
    return [Draft(denied, step=call.step, cause=call.seq), *follow_from(state, agent, SYSTEM, denied, now)]


def _asked(state: State) -> Iterator[Call]:
    return (call for call in (*state.batch, *state.detached) if call.question is not None)


def _stay_ends(state: State, agent: Agent) -> tuple[int, str] | None:
    business = state.dealings.business
    stay = max_stay(agent.machine, business.name) if agent.machine is not None else None
    if stay is None or agent.machine is None or stay[1] not in agent.machine.states:
        return None
    return business.since + int(stay[0] * 1e6), stay[1]
