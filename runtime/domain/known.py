"""What exists around an agent file, so that names in it can be checked."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from runtime.domain.tool import Label, UsualRules
from runtime.domain.yaml_text import AGENT_FILE_LIMITS, YamlLimits


class ToolFacts(Protocol):
    """What is said of a tool to the person who grants it. `runtime.domain.tool.ToolSpec` is one."""

    @property
    def description(self) -> str: ...

    @property
    def access(self) -> str: ...

    @property
    def schema(self) -> Mapping[str, Any]: ...

    @property
    def usual(self) -> UsualRules | None: ...

    @property
    def labels(self) -> Collection[Label]: ...


@dataclass(frozen=True, slots=True)
class Source:
    """An API document or a tool server: its tools, by their name there, with their name here.

    `is_closed`: it describes its tools in other words than those that were accepted.
    """

    tools: Mapping[str, str]
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """The tools, groups of tools, agents, model connections, playbooks and skills of an installation.

    Unless it is `complete`, a name that is missing here is no problem: the default complains of nothing.
    `settings` gives for a tool or group the JSON Schema of what a file may set for it.
    `invocations` gives for each agent the agents that it may invoke, to find circles; `descriptions` what their files
    say of them; `unpublished` are those without a version. `sources` stand under their kind (`openapi`, `mcp`) and
    name; `secrets` are names. `sandboxed` are the agents that an administrator lets run programs.
    `has_price`: whether it is known what a model costs; `schema_problem`: what is wrong with a JSON Schema.
    """

    tools: Mapping[str, ToolFacts] = field(default_factory=dict)
    tool_groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sources: Mapping[tuple[str, str], Source] = field(default_factory=dict)
    secrets: Collection[str] = ()
    agents: Collection[str] = ()
    invocations: Mapping[str, Collection[str]] = field(default_factory=dict)
    descriptions: Mapping[str, str] = field(default_factory=dict)
    unpublished: Collection[str] = ()
    models: Collection[str] = ()
    has_price: Callable[[str], bool] | None = None
    schema_problem: Callable[[Mapping[str, Any]], str | None] | None = None
    playbooks: Collection[str] = ()
    skills: Collection[str] = ()
    sandboxed: Collection[str] = ()
    complete: bool = False
    limits: YamlLimits = AGENT_FILE_LIMITS
