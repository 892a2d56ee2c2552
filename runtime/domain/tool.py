"""What the model and the core know of a tool: its name, schema and properties. How it runs is in `runtime.tools`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

DEFAULT_TIMEOUT_SECONDS = 60.0


class Access(StrEnum):
    """What a tool does to the world."""

    READ = "read"
    WRITE = "write"


class Label(StrEnum):
    """What a tool touches; `security.md`, law 6 is computed from these."""

    READS_UNTRUSTED = "reads_untrusted"
    READS_PRIVATE = "reads_private"
    SENDS_EXTERNAL = "sends_external"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool as an agent has it: the registry's declaration with the policy of the agent file laid over it.

    `schema` is a JSON Schema of type object. `retries` counts attempts after the first.
    `settings` are the agent file's for this tool (a workspace, say); never shown to the model.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    access: Access = Access.READ
    idempotent: bool = False
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    retries: int = 0
    labels: frozenset[Label] = frozenset()
    framework: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def may_run_again(self) -> bool:
        """Whether an attempt whose outcome is not known may simply be made again."""
        return self.access is Access.READ or self.idempotent

    def offered(self) -> dict[str, Any]:
        """The tool as the model is told of it: name, description and parameters."""
        return {"name": self.name, "description": self.description, "parameters": dict(self.schema)}
