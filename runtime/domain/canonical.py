"""The author's nodes in the one form that a definition is read from.

Every node keeps the place in the text that it came from, so that a problem found later can be shown there.
Source: agent-file.md, "Flux names that stay valid".
"""

from dataclasses import replace

from runtime.domain.findings import Findings
from runtime.domain.tool_entry import canonical_tool
from runtime.domain.yaml_node import Entry, MappingNode, Node, Path, ScalarNode, SequenceNode

FLUX_NAMES: dict[str, Path] = {
    "max_plan_steps": ("planning", "max_steps"),
    "approve_plan": ("planning", "approval"),
    "max_tool_calls": ("limits", "max_tool_calls"),
    "max_concurrent_tools": ("limits", "max_concurrent_tools"),
    "max_tokens": ("model_settings", "max_tokens"),
    "reasoning_effort": ("model_settings", "reasoning_effort"),
    "autonomy": ("approval_mode",),
}
_FREE_FORM = frozenset({"input_schema", "output_schema"})  # JSON Schemas: their keys are the author's
STATE_KEYS = frozenset({"initial", "enforce", "variables"})


def canonical(root: MappingNode, findings: Findings) -> MappingNode:
    """The nodes with Flux names replaced, `x-` keys left out and short forms written long.

    What cannot be honoured is said in `findings`.
    """
    entries: dict[str, Entry] = {}
    moved: list[Entry] = []
    for entry in _kept(root):
        match entry.key.text:
            case name if name in FLUX_NAMES:
                moved.append(entry)
            case "skills_dir":
                folder = SequenceNode(entry.value.path, entry.value.start, entry.value.end, (entry.value,))
                _put(entries, "skills", Entry(_renamed(entry.key, "skills"), folder), findings)
            case "long_term_memory":
                _put(entries, "memory", _memory(entry, findings), findings)
            case name:
                _put(entries, name, _read_root_entry(entry, findings), findings)
    for entry in moved:
        _move(entries, entry, FLUX_NAMES[entry.key.text], findings)
    return replace(root, entries=tuple(entries.values()))


def _read_root_entry(entry: Entry, findings: Findings) -> Entry:
    name, value = entry.key.text, entry.value
    if name in _FREE_FORM:
        return entry
    if name == "tools" and isinstance(value, SequenceNode):
        tools = [tool for item in value.items for tool in canonical_tool(item, findings)]
        return Entry(entry.key, replace(value, items=tuple(tools)))
    if name == "states" and isinstance(value, MappingNode):
        return Entry(entry.key, _states(value))
    if name == "planning" and isinstance(value, ScalarNode) and isinstance(value.value, bool):
        return Entry(entry.key, _mapping_around(value, _renamed(entry.key, "enabled"), value))
    return Entry(entry.key, stripped(value))


def _states(node: MappingNode) -> MappingNode:
    machine: list[Entry] = []
    states: list[Entry] = []
    for entry in node.entries:
        if entry.key.text in STATE_KEYS:
            machine.append(Entry(entry.key, stripped(entry.value)))
        elif not entry.key.text.startswith("x-"):
            value = entry.value
            empty = isinstance(value, ScalarNode) and value.value is None
            states.append(
                Entry(entry.key, MappingNode(value.path, value.start, value.end, ()) if empty else stripped(value))
            )
    key = ScalarNode(node.path, node.start, node.start, "states", "states")
    inner = MappingNode(node.path, node.start, node.end, tuple(states))
    return replace(node, entries=(*machine, Entry(key, inner)))


def _memory(entry: Entry, findings: Findings) -> Entry:
    """Flux kept one store per agent: here that is the namespace of the agent, for each person apart."""
    value = entry.value
    key = _renamed(entry.key, "memory")
    if not isinstance(value, MappingNode):
        return Entry(key, value)
    findings.hint(
        entry.key,
        "`long_term_memory` is read as the memory namespace of this agent, kept for each person apart; "
        "`provider`, `connection` and `scope` choose nothing here.",
    )
    known = ("provider", "connection", "scope", "agent")
    namespace = ScalarNode(value.path, value.start, value.end, "agent", "agent")
    rest = tuple(item for item in value.entries if item.key.text not in known)
    added = Entry(ScalarNode(value.path, value.start, value.start, "namespace", "namespace"), namespace)
    return Entry(key, replace(value, entries=(added, *rest)))


def _move(entries: dict[str, Entry], entry: Entry, target: Path, findings: Findings) -> None:
    name = target[0]
    key = _renamed(entry.key, target[-1])
    if len(target) == 1:
        _put(entries, name, Entry(key, entry.value), findings)
        return
    outer = entries.get(name)
    if outer is None:
        entries[name] = Entry(_renamed(entry.key, name), _mapping_around(entry.value, key, entry.value))
        return
    if not isinstance(outer.value, MappingNode):
        return
    if outer.value.get(target[-1]) is not None:
        findings.error(entry.key, f"`{entry.key.text}` and `{'.'.join(target)}` say the same. Keep one of them.")
        return
    entries[name] = Entry(outer.key, replace(outer.value, entries=(*outer.value.entries, Entry(key, entry.value))))


def _put(entries: dict[str, Entry], name: str, entry: Entry, findings: Findings) -> None:
    if name in entries:
        findings.error(entry.key, f"`{name}` is given here under two names. Keep one of them.")
        return
    entries[name] = entry


def stripped(node: Node) -> Node:
    """The node without `x-` keys and without keys whose value is empty."""
    match node:
        case MappingNode():
            return replace(node, entries=tuple(Entry(entry.key, stripped(entry.value)) for entry in _kept(node)))
        case SequenceNode():
            return replace(node, items=tuple(stripped(item) for item in node.items))
        case ScalarNode():
            return node


def _kept(node: MappingNode) -> list[Entry]:
    return [entry for entry in node.entries if not entry.key.text.startswith("x-") and not _is_empty(entry.value)]


def _is_empty(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.value is None


def _renamed(key: ScalarNode, name: str) -> ScalarNode:
    return replace(key, text=name, value=name)


def _mapping_around(place: Node, key: ScalarNode, value: Node) -> MappingNode:
    return MappingNode(place.path, place.start, place.end, (Entry(key, value),))
