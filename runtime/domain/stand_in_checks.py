"""Tools that stand in for others: `fallback` when a call failed, `rollback` when it is to be undone."""

from collections.abc import Iterator, Mapping

from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.machine_nodes import text_of
from runtime.domain.spelling import did_you_mean
from runtime.domain.yaml_node import MappingNode, ScalarNode, SequenceNode

KINDS = ("fallback", "rollback")


def check_stand_ins(root: MappingNode, known: Known, findings: Findings) -> None:
    """Errors for stand-ins that do not exist or are groups, and for fallbacks that lead back to where they began."""
    found = list(_stand_ins(root, known))
    for _, kind, node in found:
        if known.complete and node.text in known.tool_groups:
            members = ", ".join(f"`{name}`" for name in known.tool_groups[node.text])
            findings.error(node, f"`{kind}` must be one tool, and `{node.text}` is several: {members}.")
        elif known.complete and node.text not in known.tools:
            meant = did_you_mean(node.text, known.tools) or " Name another, or remove it."
            findings.error(node, f"There is no tool `{node.text[:60]}`.{meant}")
    for kind in KINDS:
        ways = {tool: node for tool, found_kind, node in found if found_kind == kind}
        for tool in ways:
            _check_circle(tool, kind, ways, findings)
    _check_arguments(found, known, findings)


def _stand_ins(root: MappingNode, known: Known) -> Iterator[tuple[str, str, ScalarNode]]:
    """Tool, kind and the node that names its stand-in; a group counts as each of its tools."""
    tools = root.get("tools")
    for tool in tools.items if isinstance(tools, SequenceNode) else ():
        name = text_of(tool.get("name")) if isinstance(tool, MappingNode) else None
        if name is None or not isinstance(tool, MappingNode):
            continue
        for kind in KINDS:
            node = text_of(tool.get(kind))
            if node:
                yield from ((member, kind, node) for member in known.tool_groups.get(name.text, (name.text,)))


def _check_circle(tool: str, kind: str, ways: Mapping[str, ScalarNode], findings: Findings) -> None:
    way = [tool]
    while way[-1] in ways and ways[way[-1]].text not in way:
        way.append(ways[way[-1]].text)
    if way[-1] in ways and ways[way[-1]].text == tool:
        shown = " → ".join((*way, tool))
        findings.error(ways[tool], f"A `{kind}` leads back to its own tool: {shown}. Name another tool, or remove it.")


def _check_arguments(found: list[tuple[str, str, ScalarNode]], known: Known, findings: Findings) -> None:
    """A fallback is given the same arguments: what it needs beyond them it will never get."""
    for tool, kind, node in found:
        if kind != "fallback" or tool not in known.tools or node.text not in known.tools:
            continue
        given = known.tools[tool].schema.get("properties", {})
        missing = [name for name in known.tools[node.text].schema.get("required", ()) if name not in given]
        if missing:
            names = ", ".join(f"`{name}`" for name in missing)
            sentence = f"`{node.text}` is given the arguments of `{tool}` and needs {names}, so it would always fail."
            findings.warning(node, sentence)
