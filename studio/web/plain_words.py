"""What changed between two texts of an agent, in sentences for somebody who does not read YAML."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from runtime.domain.agent_file import read_agent_file
from runtime.domain.yaml_node import MappingNode, plain_value
from studio.web.editor_form import CONTROLS, canonical_root, node_at, shown

ICONS = {
    "name": "id-card",
    "title": "id-card",
    "description": "id-card",
    "tags": "tag",
    "system_prompt": "scroll-text",
    "user_prompt_template": "scroll-text",
    "model": "cpu",
    "fallback_models": "cpu",
}
PROSE = frozenset({"system_prompt", "user_prompt_template", "description"})


@dataclass(frozen=True, slots=True)
class Change:
    """One change: what it is, and how it was before."""

    icon: str
    what: str
    was: str = ""


def changes_in_words(before: str, after: str) -> list[Change]:
    """The changes of the fields that the form knows, of the tools, and whether anything else differs."""
    return changes_to(before, after, root_of(after))


def changes_to(before: str, after: str, new: MappingNode | None) -> list[Change]:
    """The same for a text of which the canonical fields are known already; None if it cannot be read."""
    if new is None:
        return [Change("circle-alert", "This text cannot be read", "Its first problem stands in the editor.")]
    old = root_of(before)
    if old is None:
        return [Change("file-plus", "The first version")] if not before else []
    changes = [change for path in CONTROLS if (change := _field_change(path, old, new))]
    changes += _tool_changes(plain_value(old).get("tools"), plain_value(new).get("tools"))
    return changes or ([Change("text-align-start", "Other fields or comments changed")] if before != after else [])


@lru_cache(maxsize=64)
def root_of(text: str) -> MappingNode | None:
    """The canonical fields of a text; versions are compared again and again while one edits."""
    return canonical_root(read_agent_file(text))


def _field_change(path: str, old: Any, new: Any) -> Change | None:
    control = CONTROLS[path]
    nodes = node_at(old, path.split(".")), node_at(new, path.split("."))
    was, now = (shown(control, plain_value(node) if node is not None else None) for node in nodes)
    if was == now:
        return None
    icon = ICONS.get(path, "gauge" if path.startswith("limits") else "sliders-horizontal")
    if path in PROSE:
        return Change(icon, f"{control.label} {_verb(was, now)}", f"{len(was.split())} to {len(now.split())} words.")
    if not now:
        return Change(icon, f"{control.label}: as it comes", f"Was {was}.")
    return Change(icon, f"{control.label}: {now}", f"Was {was}." if was else "")


def _verb(was: str, now: str) -> str:
    return "added" if not was else "removed" if not now else "changed"


def _tool_changes(old: Any, new: Any) -> list[Change]:
    olds, news = _by_name(old), _by_name(new)
    added = [Change("wrench", f"May use {name}") for name in news if name not in olds]
    removed = [Change("wrench", f"May no longer use {name}") for name in olds if name not in news]
    changed = [
        Change("wrench", f"{name} has other settings") for name in news if olds.get(name, news[name]) != news[name]
    ]
    return added + removed + changed


def _by_name(tools: Any) -> dict[str, Any]:
    items = tools if isinstance(tools, list) else []
    return {str(tool.get("name")): tool for tool in items if isinstance(tool, dict)}
