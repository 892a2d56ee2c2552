"""Counts of a rollout that lists show, grown with each event."""

from dataclasses import dataclass, replace

from runtime.domain.events import (
    AgentOutput,
    Category,
    StepAborted,
    StepCompleted,
    StepStarted,
    ToolRequest,
    UserInput,
)
from runtime.domain.trajectory import Event

TAPE_LENGTH = 60
TICKS = {Category.INPUT: "i", Category.INTERRUPT: "x", Category.THINKING: "t", Category.ACTION: "a"}
LAST_TEXT_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Totals:
    """`events` without lifecycle records, which are `records`. `cost_known` is False once one cost was not known."""

    events: int = 0
    records: int = 0
    steps: int = 0
    tool_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    cost_known: bool = True
    last_text: str = ""
    tape: str = ""

    def plus(self, event: Event) -> "Totals":
        """The counts with one more event."""
        match event.payload:
            case StepCompleted() as done:
                return replace(self, **self._spent(done), records=self.records + 1)
            case StepAborted() as aborted:
                return replace(self, **self._spent(aborted), records=self.records + 1)
            case StepStarted(attempt=attempt):
                return replace(self, records=self.records + 1, steps=self.steps + (attempt == 1))
            case payload if payload.category is Category.LIFECYCLE:
                return replace(self, records=self.records + 1)
            case UserInput(content=content, name=name):
                return replace(self._ticked(event), last_text=_line(name, content))
            case AgentOutput(content=content):
                return replace(self._ticked(event), last_text=_line("", content))
            case ToolRequest():
                return replace(self._ticked(event), tool_calls=self.tool_calls + 1)
            case _:
                return self._ticked(event)

    def _ticked(self, event: Event) -> "Totals":
        tape = (self.tape + TICKS[event.category])[-TAPE_LENGTH:]
        return replace(self, events=self.events + 1, tape=tape)

    def _spent(self, step: StepCompleted | StepAborted) -> dict[str, int | float | bool]:
        cost = step.cost_usd if isinstance(step, StepCompleted) else None
        known = cost is not None if isinstance(step, StepCompleted) else True
        return {
            "tokens_in": self.tokens_in + (step.tokens_in or 0),
            "tokens_out": self.tokens_out + (step.tokens_out or 0),
            "cost_usd": self.cost_usd + (cost or 0.0),
            "cost_known": self.cost_known and known,
        }


def _line(name: str, content: str) -> str:
    text = " ".join(content[: 2 * LAST_TEXT_LENGTH].split())
    return (f"{name}: {text}" if name else text)[:LAST_TEXT_LENGTH]
