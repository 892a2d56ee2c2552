"""An agent as the core needs it: what its file says, with its tools bound to what the registry knows of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runtime.domain.tool import ToolSpec

FRAMEWORK_CALLS = frozenset({"read_artifact"})
"""Calls that the framework itself answers; they do not count as tool calls."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one turn; the defaults are those of the agent file."""

    max_steps: int = 25
    max_tool_calls: int = 10
    max_concurrent_tools: int = 4


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent version, ready to run. `tools` in the order in which the model is told of them."""

    name: str
    version: int = 1
    model: str = "playbook/echo"
    fallback_models: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    system_prompt: str = ""
    user_prompt_template: str = ""
    tools: tuple[ToolSpec, ...] = ()
    limits: Limits = Limits()
    account_after_stop: bool = True
    send_now: bool = True
    stream: bool = True

    @property
    def models(self) -> tuple[str, ...]:
        """The model, then its fallbacks."""
        return (self.model, *self.fallback_models)

    def tool(self, name: str) -> ToolSpec | None:
        return next((spec for spec in self.tools if spec.name == name), None)
