"""Promise 3: a step is recorded whole and once; and whatever woke the model was shown to it."""

from collections.abc import Iterator

from studio.verify.finding import Finding
from studio.verify.stored import StoredEvent, StoredRollout

REPLY_TYPES = frozenset(
    {
        "agent.output",
        "agent.thought",
        "tool.request",
        "state.update",
        "agent.invocation",
        "agent.response",
        "agent.message",
        "agent.interrupt",
        "agent.escalation",
        "timer.set",
        "timer.cancel",
        "context.compacted",
    }
)
MESSAGE_TYPES = frozenset(
    {
        "user.input",
        "agent.input",
        "external.trigger",
        "supervisor.instruction",
        "agent.interrupt.received",
        "timer.trigger",
    }
)


class _Steps:
    """Walks one trajectory. `open` = (step, attempt) in flight; `reply` = what was recorded of it so far."""

    def __init__(self, rollout: StoredRollout) -> None:
        self.rollout = rollout
        self.open: tuple[int, int] | None = None
        self.attempts: dict[int, int] = {}
        self.completed: set[int] = set()
        self.reply: list[StoredEvent] = []
        self.called: set[str] = set()

    def wrong(self, event: StoredEvent) -> str:
        """What is wrong with the next event; empty if nothing is."""
        if self.reply and event.step != self.reply[0].step:
            return f"step {self.reply[0].step} is recorded in part before it"
        match event.type:
            case "step.started":
                return self._started(event)
            case "step.completed":
                return self._completed(event)
            case "step.aborted":
                return self._aborted(event)
            case _ if self._is_reply(event):
                self.reply.append(event)
                self.called.add(event.call_id)
                return "" if self.open and self.open[0] == event.step else f"step {event.step} is not in flight"
        return f"step {self.reply[0].step} is recorded in part before it" if self.reply else ""

    def _is_reply(self, event: StoredEvent) -> bool:
        """Not a text that was cut off, nor what comes of a call that was recorded before."""
        follows = event.call_id and event.call_id in self.called
        return event.type in REPLY_TYPES and event.step is not None and not event.get("interrupted") and not follows

    def _started(self, event: StoredEvent) -> str:
        step, attempt = event.step if event.step is not None else -1, event.get("attempt", 1)
        if self.reply or self.open:
            return "a step starts while another is in flight"
        if step in self.completed:
            return f"step {step} was completed already, and is asked again"
        if step not in self.attempts and step != len(self.attempts):
            return f"step {step} starts, but {len(self.attempts)} would be the next"
        if attempt != self.attempts.get(step, 0) + 1:
            return f"attempt {attempt} of step {step} follows attempt {self.attempts.get(step, 0)}"
        if event.get("seen", 0) >= event.seq:
            return "it claims to have seen events that came after it"
        self.open, self.attempts[step] = (step, attempt), attempt
        return ""

    def _completed(self, event: StoredEvent) -> str:
        if event.step in self.completed:
            return f"step {event.step} is completed for the second time"
        if self.open is None or self.open[0] != event.step:
            return f"step {event.step} is completed but was not started"
        self.completed.add(self.open[0])
        self.open, self.reply = None, []
        return ""

    def _aborted(self, event: StoredEvent) -> str:
        if self.reply:
            return f"step {event.step} is given up, but a part of it was recorded"
        if self.open is None or self.open[0] != event.step:
            return f"step {event.step} is given up but was not in flight"
        self.open = None
        return ""


def check_steps(rollout: StoredRollout) -> Iterator[Finding]:
    """Each step is started, then completed or given up, with all of its reply in between."""
    steps = _Steps(rollout)
    for event in rollout.events:
        if sentence := steps.wrong(event):
            yield Finding("steps", f"rollout {rollout.public_id} event {event.seq}", sentence)
            return
    if steps.reply:
        last = steps.reply[-1]
        yield Finding("steps", f"rollout {rollout.public_id} event {last.seq}", f"step {last.step} is recorded in part")


def check_waking(rollout: StoredRollout) -> Iterator[Finding]:
    """A rollout that waits for input owes no answer: every message was shown to a step.

    An agent's answer that closes a call is that call's result, which a bare stop may leave for the next step.
    """
    shown = rollout.projection
    if (shown["lifecycle"], shown["waiting_for"]) != ("waiting", "input") or rollout.pending:
        return
    seen = max((event.get("seen", 0) for event in rollout.events if event.type == "step.started"), default=0)
    closed: set[str] = set()
    for event in rollout.events:
        is_result = event.type in ("agent.input", "tool.result") and bool(event.call_id) and event.call_id not in closed
        closed |= {event.call_id} if is_result else set()
        if event.seq > seen and is_message(event) and not is_result:
            where = f"rollout {rollout.public_id} event {event.seq}"
            yield Finding("waking", where, f"{event.type} was never shown to the model, and the rollout is idle")
            return


def is_message(event: StoredEvent) -> bool:
    """Whether the model must answer it; results of calls apart."""
    if event.type == "user.interrupt":
        return bool(str(event.get("content", "")).strip()) and not event.call_id
    return event.type in MESSAGE_TYPES
