"""The tools section of the form: the entries under `tools`, and the tools that could be added."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.domain.agent_file import AgentFile
from runtime.domain.file_edit import edit
from runtime.domain.problem import Problem
from runtime.domain.text_lines import TextLines
from runtime.domain.yaml_node import Node, SequenceNode, child, plain_value
from runtime.tools.registry import Registry
from studio.web.editor_form import Field, lines_of, number, problem_at
from studio.web.editor_policy import policy_fields, policy_value, policy_word, usually_asked

OWN_SETTINGS = frozenset({"timeout", "retries", "workspace"})
WITH_WORKSPACE = frozenset({"files", "search", "system_tools", "shell", "python"})
ICONS = {
    "files": "folder",
    "search": "search",
    "clock": "clock",
    "calculator": "calculator",
    "http": "globe",
    "shell": "terminal",
    "python": "terminal",
}


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One entry under `tools`. `workspace` is None for a tool that has none."""

    index: int
    name: str
    about: str
    icon: str
    timeout: str
    timeout_shown: str
    tries: str
    workspace: str | None
    problem: Problem | None
    lines: tuple[int, int] | None
    asks: str
    asking: list[Field]
    running: list[Field]


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """A tool or a group that is not granted yet."""

    name: str
    about: str
    icon: str


def tool_rows(file: AgentFile, registry: Registry) -> list[ToolRow]:
    """A row for each entry that names one tool or group."""
    assert file.document is not None
    node = file.document.get("tools")
    items = node.items if isinstance(node, SequenceNode) else ()
    lines = TextLines(file.text)
    rows = []
    for index, item in enumerate(items):
        name, _ = _named(plain_value(item))
        if name:
            rows.append(_row(index, name, item, file, registry=registry, lines=lines_of(item, lines)))
    return rows


def tool_choices(rows: list[ToolRow], registry: Registry) -> list[ToolChoice]:
    """The groups and tools that no row names, groups first."""
    taken = {row.name for row in rows}
    covered = {member for name in taken for member in registry.groups.get(name, ())}
    groups = [name for name in registry.groups if name not in taken and name not in ("system_tools", "directory")]
    singles = [name for name in registry.names if name not in taken | covered]
    return [ToolChoice(name, about(name, registry), icon_of(name, registry)) for name in (*groups, *singles)]


def about(name: str, registry: Registry) -> str:
    """What a tool or group does, in one line."""
    if name in registry.groups:
        return ", ".join(registry.groups[name])
    if name in registry.names:
        return registry.tool(name).spec.description.strip().split("\n", 1)[0]
    return ""


def icon_of(name: str, registry: Registry) -> str:
    """The icon of a tool or of its group."""
    group = name if name in registry.groups else registry.tool(name).group if name in registry.names else ""
    return ICONS.get(group) or ICONS.get(name) or "wrench"


def with_tool(text: str, file: AgentFile, name: str) -> str:
    """The text with one more tool. Raises EditRefused."""
    entry: object = {name: {"workspace": "."}} if name in WITH_WORKSPACE else name
    tools = file.document.get("tools") if file.document else None
    if isinstance(tools, SequenceNode) and tools.items:
        return edit(text, ["tools", str(len(tools.items))], entry)
    return edit(text, "tools", [entry])


def without_tool(text: str, index: int) -> str:
    """The text without the entry. Raises EditRefused."""
    return edit(text, ["tools", str(index)], None)


def with_setting(text: str, file: AgentFile, index: int, *, key: str, typed: str, registry: Registry) -> str:
    """The text with one setting of one tool: `timeout`, `retries` (typed as tries), `workspace` or a rule.

    Raises EditRefused, NotANumber.
    """
    tools = file.document.get("tools") if file.document else None
    if not isinstance(tools, SequenceNode) or index >= len(tools.items):
        return text
    item = plain_value(tools.items[index])
    name, now = _named(item)
    if not name:
        return text
    steps, value = _change(key, typed, name, now=now, registry=registry)
    if isinstance(item, str):
        return text if value is None else edit(text, ["tools", str(index)], {"name": item, **_nested(steps, value)})
    above = ["tools", str(index)] if "name" in item else ["tools", str(index), name]
    return edit(text, [*above, *steps], value)


def _change(key: str, typed: str, name: str, *, now: Mapping[str, Any], registry: Registry) -> tuple[list[str], object]:
    if key in OWN_SETTINGS:
        return [key], _value(key, typed)
    value = policy_value(key, typed, tool=name, now=now, registry=registry)
    steps = ["approval"] if key == "condition" else key.split(".")
    expiry = now.get("approval_expires")
    if key == "approval_expires.then" and expiry is not None and not isinstance(expiry, Mapping):
        return ["approval_expires"], {"after": expiry, "then": value} if value else expiry
    if key == "approval_expires.after" and not isinstance(expiry, Mapping):
        return ["approval_expires"], value
    return steps, value


def _nested(steps: list[str], value: object) -> dict[str, object]:
    for step in reversed(steps[1:]):
        value = {step: value}
    return {steps[0]: value}


def _value(key: str, typed: str) -> object:
    typed = typed.strip()
    if not typed:
        return None
    if key == "retries":
        tries = number("Tries", typed)
        return tries - 1 if tries != 1 else None
    return int(typed) if key == "timeout" and typed.isdecimal() else typed


def _named(item: Any) -> tuple[str, Mapping[str, Any]]:
    match item:
        case str():
            return item, {}
        case {"name": str(name)}:
            return name, item
        case dict() if len(item) == 1:
            name, settings = next(iter(item.items()))
            return name, settings if isinstance(settings, Mapping) else {}
        case _:
            return "", {}


def _row(
    index: int,
    name: str,
    item: Node,
    file: AgentFile,
    *,
    registry: Registry,
    lines: tuple[int, int] | None,
) -> ToolRow:
    _, policy = _named(plain_value(item))
    settings = item if child(item, "name") is not None else child(item, name)
    usually = usually_asked(name, registry)
    asking, running = policy_fields(index, settings, file, usually=usually)
    retries = policy.get("retries")
    own = registry.tool(name).spec.timeout_seconds if name in registry.names else None
    workspace = str(policy.get("workspace") or "") if name in WITH_WORKSPACE or "workspace" in policy else None
    return ToolRow(
        index=index,
        name=name,
        about=about(name, registry),
        icon=icon_of(name, registry),
        timeout="" if policy.get("timeout") is None else str(policy["timeout"]),
        timeout_shown=f"{own:g}s" if own else "its own",
        tries=str(retries + 1) if isinstance(retries, int) else "",
        workspace=workspace,
        problem=problem_at(file.problems, f"tools.{index}"),
        lines=lines,
        asks=policy_word(settings, usually=usually),
        asking=asking,
        running=running,
    )
