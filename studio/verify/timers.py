"""Promise 7: a timer that was set goes off, once."""

from collections.abc import Iterator

from studio.verify.finding import Finding
from studio.verify.stored import StoredEvent, StoredRollout


def check_timers(rollout: StoredRollout) -> Iterator[Finding]:
    """No timer goes off that was not set, or twice for one time; a living rollout wakes for the earliest of them."""
    where, timers = f"rollout {rollout.public_id}", _Timers()
    for event in rollout.events:
        if sentence := timers.wrong(event):
            yield Finding("timers", f"{where} event {event.seq}", sentence)
            return
    wake_at, lifecycle = rollout.projection["wake_at"], rollout.projection["lifecycle"]
    earliest = min(timers.due.values(), default=None)
    if earliest is not None and lifecycle not in ("completed", "cancelled") and not 0 < wake_at <= earliest:
        yield Finding("timers", where, f"a timer is due at {earliest}, but it wakes at {wake_at}")


class _Timers:
    """`due`: when those that are set go off. One may still go off that was cancelled as it waited in the queue."""

    def __init__(self) -> None:
        self.due: dict[str, int] = {}
        self._known: set[str] = set()
        self._went_off: set[tuple[str, int]] = set()

    def wrong(self, event: StoredEvent) -> str:
        timer = event.get("timer_id", "")
        match event.type:
            case "timer.set":
                self._known.add(timer)
                self.due[timer] = event.get("due_at", 0)
            case "timer.cancel":
                self.due.pop(timer, None)
            case "timer.trigger" if not timer.startswith("escalation-"):
                return self._goes_off(timer, event.get("due_at", 0), event.get("next_due", 0))
        return ""

    def _goes_off(self, timer: str, due_at: int, next_due: int) -> str:
        if timer not in self._known:
            return f"timer {timer} goes off, but nobody set it"
        if (timer, due_at) in self._went_off:
            return f"timer {timer} goes off for the second time"
        self._went_off.add((timer, due_at))
        if next_due and timer in self.due:
            self.due[timer] = next_due
        else:
            self.due.pop(timer, None)
        return ""
