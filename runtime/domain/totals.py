"""Counts of a rollout that lists show, grown with each event."""

from typing import NamedTuple

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


class Totals(NamedTuple):
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
                known = self.cost_known and done.cost_usd is not None
                return self._spent(done)._replace(cost_known=known)
            case StepAborted() as aborted:
                return self._spent(aborted)
            case StepStarted(attempt=attempt):
                return self._replace(records=self.records + 1, steps=self.steps + (attempt == 1))
            case payload if payload.category is Category.LIFECYCLE:
                return self._replace(records=self.records + 1)
            case UserInput(content=content, name=name):
                return self._ticked(event)._replace(last_text=_line(name, content))
            case AgentOutput(content=content):
                return self._ticked(event)._replace(last_text=_line("", content))
            case ToolRequest():
                return self._ticked(event)._replace(tool_calls=self.tool_calls + 1)
            case _:
                return self._ticked(event)

    def _ticked(self, event: Event) -> "Totals":
        tape = (self.tape + TICKS[event.category])[-TAPE_LENGTH:]
        return self._replace(events=self.events + 1, tape=tape)

    def _spent(self, ended: StepCompleted | StepAborted) -> "Totals":
        return self._replace(
            records=self.records + 1,
            tokens_in=self.tokens_in + (ended.tokens_in or 0),
            tokens_out=self.tokens_out + (ended.tokens_out or 0),
            cost_usd=self.cost_usd + (ended.cost_usd or 0.0),
        )


def _line(name: str, content: str) -> str:
    text = " ".join(content[: 2 * LAST_TEXT_LENGTH].split())
    return (f"{name}: {text}" if name else text)[:LAST_TEXT_LENGTH]
