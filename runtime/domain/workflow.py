"""A workflow: how sessions of several agents start, and who may address whom. Source: agent-file.md."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from runtime.domain.definition import AgentName, Variable
from runtime.domain.machine_variables import fitted
from runtime.domain.part import Part

StartKind = Literal["chat", "webhook", "schedule", "folder", "feed"]


class EntryAgents(Part):
    """The agent that each kind of start leads to; None = a session is not started so."""

    chat: AgentName | None = None
    webhook: AgentName | None = None
    schedule: AgentName | None = None
    folder: AgentName | None = None
    feed: AgentName | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        return dict.fromkeys(cls.model_fields, value) if isinstance(value, str) else value


class SharedVariable(Variable):
    """A variable that every rollout of the session may read; a bare type is enough."""

    @model_validator(mode="before")
    @classmethod
    def _from_type(cls, value: Any) -> Any:
        return {"type": value} if isinstance(value, str) else value


class Workflow(Part):
    """One workflow, complete. `name` stands behind the key `workflow` that begins its file."""

    name: AgentName = Field(validation_alias="workflow")
    agents: Annotated[tuple[AgentName, ...], Field(min_length=1, max_length=64)]
    entry: EntryAgents
    title: Annotated[str, Field(max_length=200)] = ""
    description: str = ""
    may_interrupt: Mapping[AgentName, tuple[AgentName, ...]] = {}
    shared_context: Mapping[str, SharedVariable] = {}

    def shared_values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The shared variables with these values, which have been checked; else with their defaults."""
        defaults = {name: one.default for name, one in self.shared_context.items() if one.default is not None}
        return {**defaults, **{name: fitted(self.shared_context[name], value) for name, value in given.items()}}

    def entry_for(self, kind: str) -> str:
        """The agent that this kind of start leads to; empty if there is none."""
        found: str | None = getattr(self.entry, kind, None)
        return found or ""
