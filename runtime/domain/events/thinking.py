"""Category thinking: what the agent thinks."""

from enum import StrEnum
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from runtime.domain.events.base import Called, Category, MemoryNamed, Text


class ThoughtKind(StrEnum):
    """Where a thought comes from."""

    REASONING = "reasoning"
    PLAN = "plan"
    SUMMARY = "summary"
    NOTE = "note"


class PlanStep(BaseModel):
    """One step of a plan; it can begin when those in `after` are done or skipped."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Text
    title: Text
    status: Literal["pending", "in_progress", "done", "skipped"] = "pending"
    after: tuple[str, ...] = ()


class AgentThought(Called):
    """A thought of the agent; one of kind note is a call of `note`, or tells what was kept in the `memory`.

    One of kind plan is a call of `update_plan`. `shown`: to whoever takes part in the session.
    """

    category: ClassVar[Category] = Category.THINKING

    type: Literal["agent.thought"] = "agent.thought"
    content: Text
    kind: ThoughtKind = ThoughtKind.REASONING
    memory: MemoryNamed | None = None
    plan: tuple[PlanStep, ...] = ()
    shown: bool = False
