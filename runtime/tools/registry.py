"""All tools of an installation, by name and by group."""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Protocol, Self

from pydantic import BaseModel

import runtime.tools
from runtime.domain.definition import ToolGrant
from runtime.domain.errors import RuntimeFault
from runtime.domain.tool import ToolSpec
from runtime.domain.tool_policy import NEVER, under_policy, with_default
from runtime.domain.tool_source import SOURCES, only_of, source_of
from runtime.ports import Tool
from runtime.tools.declaration import FunctionTool
from runtime.tools.parameters import closed_schema
from runtime.tools.services import ToolServices

# Names an agent file may use for several groups or tools at once. `system_tools` is Flux's, without its shell.
COMPOSED_GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"directory": ("list_directory", "make_directory"), "system_tools": ("files", "search")}
)


class UnknownTool(RuntimeFault):
    """A name that is neither a tool nor a group of tools."""

    def __init__(self, tool: str, known: Sequence[str]) -> None:
        self.tool, self.known = tool, known

    def __str__(self) -> str:
        return f"tool {self.tool!r} is not registered; known tools: {', '.join(self.known)}"


class DuplicateTool(RuntimeFault):
    """Two tools, or a tool and a group, of one name."""

    def __init__(self, name: str, first: str, second: str) -> None:
        self.name, self.first, self.second = name, first, second

    def __str__(self) -> str:
        return f"{self.name!r} is declared in {self.first} and in {self.second}; rename one of them"


class RegistryTool(Tool, Protocol):
    """A tool that can be granted. `group`: the name under which it is granted together with others.

    `source`: the kind (`openapi`, `mcp`) and name of what it comes from, where it is called `original`. `settings`:
    what an agent file may set for it. `module` says where it is declared.
    """

    @property
    def group(self) -> str: ...

    @property
    def module(self) -> str: ...

    @property
    def source(self) -> tuple[str, str]: ...

    @property
    def original(self) -> str: ...

    @property
    def settings(self) -> type[BaseModel] | None: ...

    def under(self, spec: ToolSpec) -> Self:
        """This tool with another spec: the policy of an agent file laid over its own."""
        ...


@dataclass(frozen=True, slots=True)
class ToolCard:
    """A tool as the editor shows it. `settings` is the JSON Schema of what an agent file may set, or None."""

    name: str
    group: str
    description: str
    access: str
    idempotent: bool
    labels: tuple[str, ...]
    timeout_seconds: float
    schema: Mapping[str, Any]
    settings: Mapping[str, Any] | None


class Registry:
    """Tools with the services of this installation. Names are unique among tools and groups together."""

    def __init__(self, tools: Iterable[FunctionTool], services: ToolServices) -> None:
        """Raises DuplicateTool."""
        self.services = services
        self._by_name: dict[str, RegistryTool] = {}
        for tool in tools:
            name = tool.spec.name
            if name in self._by_name:
                raise DuplicateTool(name, self._by_name[name].module, tool.module)
            self._by_name[name] = tool.serving(services)
        self._groups = _groups(self._by_name)

    def joined(self, tools: Iterable[RegistryTool]) -> "Registry":
        """This registry with the tools of a project. A name that is taken here keeps its meaning."""
        taken = self._by_name.keys() | self._groups.keys()
        own = {tool.spec.name: tool for tool in tools if tool.spec.name not in taken}
        joined = Registry((), self.services)
        joined._by_name = {**own, **self._by_name}
        groups = {name: members for name, members in _gathered(own).items() if name not in joined._by_name}
        joined._groups = {**groups, **self._groups}
        return joined

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tools, sorted; framework calls are not among them, for no agent file grants those."""
        return tuple(sorted(name for name, tool in self._by_name.items() if not tool.spec.framework))

    @property
    def specs(self) -> dict[str, ToolSpec]:
        """What is declared of each tool that an agent file may grant."""
        return {name: self._by_name[name].spec for name in self.names}

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the tools in each group."""
        return MappingProxyType(self._groups)

    def tool(self, name: str) -> RegistryTool:
        """One tool. Raises UnknownTool."""
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownTool(name, self.names) from None

    def group(self, name: str) -> tuple[RegistryTool, ...]:
        """The tools of a group. Raises UnknownTool."""
        if name not in self._groups:
            raise UnknownTool(name, (*self._groups, *self.names))
        return tuple(self._by_name[member] for member in self._groups[name])

    def framework_tools(self) -> tuple[RegistryTool, ...]:
        """The framework's own calls, which every agent has."""
        return tuple(tool for tool in self._by_name.values() if tool.spec.framework)

    def grant(self, grants: Iterable[ToolGrant], *, root: str, approval: str = NEVER) -> dict[str, RegistryTool]:
        """The tools of one agent by name, each under the policy of its file.

        `approval` is the file's default for tools that write. A later grant of the same tool is laid over the earlier:
        `files: {workspace: docs}`, then `write_file` with a time limit of its own. `root` is the absolute path that
        every `workspace` is relative to and stays inside.
        Raises UnknownTool.
        """
        granted: dict[str, RegistryTool] = {}
        for grant in grants:
            for tool in self.members(grant):
                known = granted.get(tool.spec.name)
                base = tool.under(with_default(tool.spec, approval)) if known is None else known
                granted[tool.spec.name] = base.under(_set(under_policy(base.spec, grant), grant, root))
        return granted

    def members(self, grant: ToolGrant) -> tuple[RegistryTool, ...]:
        """The tools that an entry of an agent file stands for, before its policy. Raises UnknownTool."""
        if grant.name in SOURCES:
            return self._of_source(grant)
        return self.group(grant.name) if grant.name in self._groups else (self.tool(grant.name),)

    def of_source(self, kind: str, name: str) -> tuple[RegistryTool, ...]:
        """The tools that come from an API document (`openapi`) or server (`mcp`) of this name."""
        return tuple(tool for tool in self._by_name.values() if tool.source == (kind, name))

    def _of_source(self, grant: ToolGrant) -> tuple[RegistryTool, ...]:
        source = source_of(grant.name, grant.settings)
        found = {tool.original: tool for tool in self.of_source(grant.name, source)}
        only = only_of(grant.settings)
        if not found:
            raise UnknownTool(source or grant.name, sorted({tool.source[1] for tool in self._by_name.values()} - {""}))
        for name in only or ():
            if name not in found:
                raise UnknownTool(f"{source}: {name}", sorted(found))
        return tuple(tool for name, tool in found.items() if only is None or name in only)

    def describe(self) -> tuple[ToolCard, ...]:
        """Every tool that can be granted, by group and name."""
        tools = [self._by_name[name] for name in self.names]
        return tuple(_card(tool) for tool in sorted(tools, key=lambda tool: (tool.group, tool.spec.name)))


def discover(services: ToolServices | None = None) -> Registry:
    """A registry of every tool that is declared in a module of this package; its own packages hold no tools."""
    return Registry(tuple(_declared()), services or ToolServices())


def _declared() -> Iterator[FunctionTool]:
    for module_info in pkgutil.iter_modules(runtime.tools.__path__, runtime.tools.__name__ + "."):
        if module_info.ispkg:
            continue
        module = importlib.import_module(module_info.name)
        for value in vars(module).values():
            if isinstance(value, FunctionTool) and value.module == module.__name__:
                yield value


def _groups(by_name: Mapping[str, RegistryTool]) -> dict[str, tuple[str, ...]]:
    groups = _gathered(by_name)
    for composed, parts in COMPOSED_GROUPS.items():
        members = [name for part in parts for name in groups.get(part, (part,)) if name in by_name]
        if members:
            groups[composed] = tuple(members)
    for name in groups:
        if name in by_name:
            raise DuplicateTool(name, by_name[name].module, "a group of tools")
    return groups


def _gathered(by_name: Mapping[str, RegistryTool]) -> dict[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {}
    for name, tool in by_name.items():
        if tool.group:
            groups[tool.group] = (*groups.get(tool.group, ()), name)
    return groups


def _set(spec: ToolSpec, grant: ToolGrant, root: str) -> ToolSpec:
    return replace(spec, settings={**spec.settings, **grant.settings, "root": root})


def _card(tool: RegistryTool) -> ToolCard:
    spec = tool.spec
    return ToolCard(
        name=spec.name,
        group=tool.group,
        description=spec.description,
        access=spec.access.value,
        idempotent=spec.idempotent,
        labels=tuple(sorted(label.value for label in spec.labels)),
        timeout_seconds=spec.timeout_seconds,
        schema=spec.schema,
        settings=closed_schema(tool.settings) if tool.settings else None,
    )
