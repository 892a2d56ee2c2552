"""What the model and the core know of a tool: its name, schema and properties. How it runs is in `runtime.tools`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

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


WEEK_SECONDS = 7 * 24 * 3600.0


@dataclass(frozen=True, slots=True)
class ApprovalPolicy:
    """When a person is asked before a call runs, and who.

    `when`: never, always, once (a session), or a condition in CEL over `args`, `vars` and `user`.
    `approvers`: names of roles (in the plural, such as supervisors) or of people; none = whoever takes part.
    `needed`: how many different people must approve. `allows_self`: whether the person whose message led
    to the call is one of them.
    """

    when: str = "never"
    approvers: tuple[str, ...] = ()
    needed: int = 1
    allows_self: bool = True
    expires_seconds: float = WEEK_SECONDS
    then: Literal["deny", "escalate"] = "deny"


NEVER_ASKED = ApprovalPolicy()


@dataclass(frozen=True, slots=True)
class UsualRules:
    """The rules of a tool for all agents; an agent file can be stricter, never looser."""

    approval: str
    timeout_seconds: float
    retries: int
    idempotent: bool


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool as an agent has it: the registry's declaration with the policy of the agent file laid over it.

    `schema` is a JSON Schema of type object. `retries` counts attempts after the first.
    `settings` are the agent file's for this tool (a workspace, say); never shown to the model.
    `runs_async`: the model goes on at once. `fallback`: the tool to use when all attempts failed; `rollback`: the tool
    that undoes what it did. `on_interrupt`: what an urgent event does to it; empty = cancel, but finish for an async
    one. `framework`: answered by the runtime itself; it does not count as a tool call. `usual`: what an agent file
    cannot loosen; None = it may set what it likes.
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
    runs_async: bool = False
    approval: ApprovalPolicy = NEVER_ASKED
    fallback: str = ""
    rollback: str = ""
    on_interrupt: Literal["", "cancel", "finish"] = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    usual: UsualRules | None = None

    @property
    def may_run_again(self) -> bool:
        """Whether an attempt whose outcome is not known may simply be made again."""
        return self.access is Access.READ or self.idempotent

    def offered(self) -> dict[str, Any]:
        """The tool as the model is told of it: name, description and parameters."""
        return {"name": self.name, "description": self.description, "parameters": dict(self.schema)}
