"""What a rollout has going on beside its conversation: business state, timers, calls on the side, called agents."""

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.domain.apply import fold
from runtime.domain.dealings import Business, Dealings, Timer
from runtime.domain.events import PlanStep, StateUpdate, TimerCancel, TimerSet, TimerTrigger
from runtime.domain.events.versions import load
from runtime.domain.state import Call
from studio.models import Event, Rollout
from studio.queries.live import RESTING
from studio.queries.rollouts import ENDED
from studio.store import trajectory
from studio.store.codes import TYPE_CODES

OF_TIMERS = [TYPE_CODES["timer.set"], TYPE_CODES["timer.cancel"], TYPE_CODES["timer.trigger"]]


@dataclass(frozen=True, slots=True)
class Standing:
    """`way`: the moves that were made, oldest first, as (from, to). `calls` run beside the conversation, `children` are
    the rollouts that it called and that are at work.
    """

    business: Business
    way: Sequence[tuple[str, str]]
    timers: Sequence[Timer]
    calls: Sequence[Call]
    children: Sequence[Rollout]
    plan: Sequence[PlanStep] = ()


def standing_of(rollout: Rollout) -> Standing:
    """Folded from all that is recorded of the rollout."""
    events = trajectory(rollout.pk)
    state = fold(events)
    updates = [event.payload for event in events if isinstance(event.payload, StateUpdate)]
    moves = [(one.from_state, one.to_state) for one in updates if one.accepted and one.from_state != one.to_state]
    return Standing(
        business=state.dealings.business,
        way=moves,
        plan=state.dealings.plan,
        timers=sorted(state.dealings.timers, key=lambda timer: timer.due_at),
        calls=[call for call in state.open_calls if call.is_async and not call.child],
        children=list(
            Rollout.objects.filter(parent=rollout).exclude(lifecycle__in=ENDED).exclude(RESTING).select_related("agent")
        ),
    )


def next_timer(rollout: Rollout) -> Timer | None:
    """The timer that goes off first; None if none is set. Reads what is about timers alone."""
    if not rollout.wake_at:
        return None
    rows = Event.objects.filter(rollout=rollout, type__in=OF_TIMERS).order_by("seq")
    names = {code: name for name, code in TYPE_CODES.items()}
    dealings = Dealings()
    for type_, v, payload in rows.values_list("type", "v", "payload"):
        dealings = _after(dealings, load(names[type_], v, payload))
    return min(dealings.timers, key=lambda timer: timer.due_at, default=None)


def _after(dealings: Dealings, event: object) -> Dealings:
    match event:
        case TimerSet():
            return dealings.with_timer(event) if event.status == "ok" else dealings
        case TimerCancel():
            return dealings.without_timer(event.timer_id)
        case TimerTrigger():
            return dealings.rung(event)
        case _:
            return dealings
