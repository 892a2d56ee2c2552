"""What a step is judged with, and what is found of one call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from runtime.domain.agent import Agent, Limits
from runtime.domain.dealings import Business
from runtime.domain.events import Payload, ResultStatus, ToolRequest, ToolResult
from runtime.domain.facts import NO_FACTS, Facts
from runtime.domain.memory import Memory, MemoryScope, MemoryWrite
from runtime.domain.state import State

CheckArguments = Callable[[Mapping[str, Any], dict[str, Any]], str | None]
"""(JSON Schema, arguments) to a sentence that names the wrong field, or None."""


@dataclass(slots=True)
class Judging:
    """The state before the step is recorded, and what stands around it. `at` in microseconds.

    `rollout` is this one's id; `new_rollout` makes the id of another. `business` and `invoked` change with the calls
    that are judged: the business state that the step's own moves lead to, and how many agents it invokes. `scope`: the
    memory that the turn may use, None = nobody's; `memory`: its newest versions by key, which change with the calls
    too, and what was `found` by query. `redact` takes known secrets out of a text.
    """

    state: State
    agent: Agent
    check: CheckArguments
    facts: Facts = NO_FACTS
    at: int = 0
    rollout: str = ""
    new_rollout: Callable[[], str] = lambda: ""
    scope: MemoryScope | None = None
    memory: dict[str, Memory] = field(default_factory=dict)
    found: Mapping[str, tuple[Memory, ...]] = field(default_factory=dict)
    redact: Callable[[str], str] = lambda text: text
    business: Business = field(init=False)
    invoked: int = 0

    def __post_init__(self) -> None:
        self.business = self.state.dealings.business

    @property
    def limits(self) -> Limits:
        return self.agent.limits.raised(self.state.dealings.raised)

    @property
    def values(self) -> dict[str, Any]:
        """What conditions may look at, besides the arguments."""
        turn = self.state.turn
        return {"vars": self.business.vars, "user": {"id": turn.user_id, "name": turn.user}}


@dataclass(frozen=True, slots=True)
class Judged:
    """What is recorded in the step for one call, what follows behind its end, and what is written to the memory."""

    recorded: Payload
    after: tuple[Payload, ...] = ()
    writes: tuple[MemoryWrite, ...] = ()


def refused(request: ToolRequest, sentence: str, status: ResultStatus = ResultStatus.ERROR) -> Judged:
    """A call that is not made; the model is told why."""
    return Judged(request, (ToolResult(call_id=request.call_id, status=status, content=sentence, attempts=0),))


def answered(request: ToolRequest, content: str, *after: Payload) -> Judged:
    """A call that is done with at once, and what else follows from it."""
    return Judged(request, (ToolResult(call_id=request.call_id, content=content, attempts=0), *after))
