"""One entry under `tools` as grants; it is a name, a group with its settings, or a name with a policy."""

from dataclasses import replace

from runtime.domain.definition import ToolGrant
from runtime.domain.findings import Findings
from runtime.domain.yaml_node import Entry, MappingNode, Node, ScalarNode

POLICY_KEYS = frozenset(str(field.validation_alias or name) for name, field in ToolGrant.model_fields.items()) - {
    "settings"
}
_SYSTEM_TOOLS = ("files", "search")


def canonical_tool(item: Node, findings: Findings) -> list[MappingNode]:
    """The grants that one entry stands for; `system_tools` stands for two."""
    match item:
        case ScalarNode(value=str()):
            return _expanded(item, item, (), findings)
        case MappingNode() if item.get("name") is None and len(item.entries) == 1:
            return _from_group(item, item.entries[0], findings)
        case MappingNode():
            return _from_policy(item, findings)
        case _:
            findings.error(item, "A tool is a name, or a group with its settings such as `files: {workspace: .}`.")
            return []


def _from_group(item: MappingNode, entry: Entry, findings: Findings) -> list[MappingNode]:
    match entry.value:
        case MappingNode():
            return _expanded(item, entry.key, entry.value.entries, findings)
        case ScalarNode(value=None):
            return _expanded(item, entry.key, (), findings)
        case _:
            findings.error(
                entry.value, f"The settings of `{entry.key.text}` must be a mapping such as `{{workspace: .}}`."
            )
            return []


def _from_policy(item: MappingNode, findings: Findings) -> list[MappingNode]:
    name = item.get("name")
    if name is None:
        findings.error(item, "This tool has no `name`. Add it, or write one group a line.")
        return []
    if not isinstance(name, ScalarNode) or not isinstance(name.value, str):
        findings.error(name, "The `name` of a tool must be text.")
        return []
    rest = tuple(entry for entry in item.entries if entry.key.text != "name")
    return _expanded(item, name, rest, findings)


def _expanded(item: Node, name: ScalarNode, entries: tuple[Entry, ...], findings: Findings) -> list[MappingNode]:
    entries = tuple(e for e in entries if not e.key.text.startswith("x-") and not _is_empty(e.value))
    policy = tuple(entry for entry in entries if entry.key.text in POLICY_KEYS)
    settings = tuple(entry for entry in entries if entry.key.text not in POLICY_KEYS)
    if name.text != "system_tools":
        return [_grant(item, name, policy, settings)]
    findings.hint(
        name,
        "`system_tools` grants the file, directory and search tools. Its shell is not granted: "
        "an administrator has to allow it.",
    )
    return [_grant(item, replace(name, text=group, value=group), policy, settings) for group in _SYSTEM_TOOLS]


def _grant(item: Node, name: ScalarNode, policy: tuple[Entry, ...], settings: tuple[Entry, ...]) -> MappingNode:
    mapping = MappingNode(item.path, item.start, item.end, settings)
    entries = [Entry(_key(name, "name"), name), *policy]
    if settings:
        entries.append(Entry(_key(name, "settings"), mapping))
    return MappingNode(item.path, item.start, item.end, tuple(entries))


def _key(place: ScalarNode, name: str) -> ScalarNode:
    return replace(place, text=name, value=name)


def _is_empty(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.value is None
