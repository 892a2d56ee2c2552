"""Category thinking: what the agent thinks."""

from enum import StrEnum
from typing import ClassVar, Literal

from runtime.domain.events.base import Called, Category, MemoryNamed, Text


class ThoughtKind(StrEnum):
    """Where a thought comes from."""

    REASONING = "reasoning"
    PLAN = "plan"
    SUMMARY = "summary"
    NOTE = "note"


class AgentThought(Called):
    """A thought of the agent; one of kind note is a call of `note`, or tells what was kept in the `memory`."""

    category: ClassVar[Category] = Category.THINKING

    type: Literal["agent.thought"] = "agent.thought"
    content: Text
    kind: ThoughtKind = ThoughtKind.REASONING
    memory: MemoryNamed | None = None
