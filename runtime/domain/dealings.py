"""What a rollout has going on beside its conversation: business state, timers, children, questions to supervisors."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from runtime.domain.events import AgentEscalation, PlanStep, StateUpdate, TimerSet, TimerTrigger


class Business(NamedTuple):
    """The business state; `since` = microseconds when it was entered."""

    name: str = ""
    vars: Mapping[str, Any] = {}
    since: int = 0


class Timer(NamedTuple):
    """A timer that has not gone off, or goes off again. `due_at`, and `first`: its first time, in microseconds.

    `owner` (by public id) and `owner_name`: in whose turn it was set.
    """

    id: str
    due_at: int
    note: str = ""
    urgent: bool = False
    every: str = ""
    zone: str = ""
    first: int = 0
    owner: str = ""
    owner_name: str = ""


class Child(NamedTuple):
    """A rollout that this one has invoked by that call."""

    rollout: str
    agent: str
    call_id: str


class Escalation(NamedTuple):
    """A question to supervisors that nobody has answered. `deadline` in microseconds; 0 = none."""

    call_id: str
    question: str
    deadline: int
    then: Literal["continue", "pause", "cancel"]


class Dealings(NamedTuple):
    """`raised`: limits that a person has raised, by their names. `undone`: calls whose effect was compensated, or which
    could not be. `undoing`: the call whose compensation has begun, `undoing_attempt` times so far. `unreported`: what a
    sub-agent has said and not yet handed to the agent that called it; `has_responded`: whether that agent's call has
    been answered; `is_fault`: what is to be reported is that there is no answer. `plan`: its steps, in order.
    """

    business: Business = Business()
    timers: tuple[Timer, ...] = ()
    children: tuple[Child, ...] = ()
    escalations: tuple[Escalation, ...] = ()
    raised: Mapping[str, float] = {}
    undone: frozenset[str] = frozenset()
    undoing: str = ""
    undoing_attempt: int = 0
    unreported: str = ""
    is_fault: bool = False
    plan: tuple[PlanStep, ...] = ()
    has_responded: bool = False

    def moved(self, update: StateUpdate, at: int) -> "Dealings":
        """After an accepted move; a stay begins anew with another state, or if no call moved it."""
        now, name = self.business, update.to_state or self.business.name
        since = now.since if name == now.name and update.call_id else at
        return self._replace(business=Business(name, {**now.vars, **update.set}, since))

    def with_timer(self, set_: TimerSet, owner: str = "", owner_name: str = "") -> "Dealings":
        when = (set_.due_at, set_.note, set_.urgent, set_.every, set_.zone, set_.due_at)
        timer = Timer(set_.timer_id, *when, owner, owner_name)
        return self._replace(timers=(*self.without_timer(set_.timer_id).timers, timer))

    def without_timer(self, timer_id: str) -> "Dealings":
        return self._replace(timers=tuple(timer for timer in self.timers if timer.id != timer_id))

    def rung(self, trigger: TimerTrigger) -> "Dealings":
        """A timer has gone off; one that repeats is due again. So has the deadline of an escalation, if it was one."""
        left = tuple(asked for asked in self.escalations if deadline_id(asked.call_id) != trigger.timer_id)
        timers = [
            timer._replace(due_at=trigger.next_due) if timer.id == trigger.timer_id else timer
            for timer in self.timers
            if timer.id != trigger.timer_id or trigger.next_due
        ]
        return self._replace(timers=tuple(timers), escalations=left)

    def with_escalation(self, asked: AgentEscalation) -> "Dealings":
        one = Escalation(asked.call_id, asked.question or asked.reason, asked.deadline, asked.then)
        return self._replace(escalations=(*self.escalations, one))


def deadline_id(call_id: str) -> str:
    """The timer id under which the deadline of an escalation goes off."""
    return f"escalation-{call_id}"
