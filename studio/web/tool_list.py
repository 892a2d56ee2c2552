"""The tools of a project in groups: built in, written here, from each document and server, and from packages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse

from runtime.tools.registry import Registry, RegistryTool
from studio.models import Project, ToolSource
from studio.queries.tool_users import ToolUser
from studio.web.editor_tools import ICONS

BUILT_IN = "runtime.tools."
SOURCE_ICONS = {"openapi": "globe", "mcp": "plug", "program": "terminal"}


@dataclass(frozen=True, slots=True)
class ToolItem:
    """One tool in the list. `uses`: how many agents name it."""

    name: str
    icon: str
    uses: int


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """Tools that belong together. `side` says where they come from; `fault` what is wrong there."""

    title: str
    icon: str
    side: str
    items: tuple[ToolItem, ...]
    href: str = ""
    fault: str = ""


def tool_groups(
    project: Project, registry: Registry, users: Mapping[str, Sequence[ToolUser]], wanted: str
) -> list[ToolGroup]:
    """The groups with the tools whose name or words hold what is wanted; those without any are left out."""
    tools = [tool for name in registry.names if _fits(tool := registry.tool(name), wanted)]

    def items(chosen: list[RegistryTool]) -> tuple[ToolItem, ...]:
        return tuple(ToolItem(one.spec.name, icon_of(one), len(users.get(one.spec.name, ()))) for one in chosen)

    packaged = [tool for tool in tools if is_from_package(tool)]
    groups = [
        ToolGroup("Written here", "braces", "", items([tool for tool in tools if is_own(tool)])),
        *_sources(project, {name: items(chosen) for name, chosen in _by_source(tools).items()}, wanted),
        ToolGroup("Built in", "box", "", items([tool for tool in tools if is_built_in(tool)])),
        ToolGroup("Python", "file-code", "installed packages", items(packaged)),
    ]
    return [group for group in groups if group.items or group.href]


def is_built_in(tool: RegistryTool) -> bool:
    return tool.module.startswith(BUILT_IN)


def is_own(tool: RegistryTool) -> bool:
    """Whether it was written in the project as a form."""
    return tool.module == "the tools of the project" and not tool.source[0]


def is_from_package(tool: RegistryTool) -> bool:
    return not is_built_in(tool) and tool.module != "the tools of the project"


def icon_of(tool: RegistryTool) -> str:
    if tool.source[0]:
        return SOURCE_ICONS[tool.source[0]]
    return ICONS.get(tool.group or tool.spec.name) or (
        "globe" if is_own(tool) else "wrench" if is_built_in(tool) else "file-code"
    )


def _fits(tool: RegistryTool, wanted: str) -> bool:
    return wanted.casefold() in f"{tool.spec.name} {tool.spec.description} {tool.source[1]}".casefold()


def _by_source(tools: list[RegistryTool]) -> dict[str, list[RegistryTool]]:
    found: dict[str, list[RegistryTool]] = {}
    for tool in tools:
        if tool.source[0]:
            found.setdefault(tool.source[1], []).append(tool)
    return found


def _sources(project: Project, items: Mapping[str, tuple[ToolItem, ...]], wanted: str) -> list[ToolGroup]:
    groups = []
    for source in ToolSource.objects.filter(project=project).order_by("name"):
        if wanted and source.name not in items:
            continue
        side = ToolSource.Kind(source.kind).label
        fault = "cannot connect" if source.fault else "to be accepted" if source.is_changed else ""
        href = reverse("tool-source", args=[source.public_id])
        icon = SOURCE_ICONS[source.kind]
        groups.append(ToolGroup(source.name, icon, side, items.get(source.name, ()), href, fault))
    return groups
