"""The tools that run programs, and whether an agent may have them."""

from collections.abc import Iterator

from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.name_checks import named_items
from runtime.domain.yaml_node import MappingNode, ScalarNode, SequenceNode, child

SANDBOXED = frozenset({"shell", "python"})


def check_sandboxed(root: MappingNode, known: Known, findings: Findings) -> None:
    """An error for each tool that runs programs, unless an administrator lets this agent do so."""
    own = root.get("name")
    if not known.complete or (isinstance(own, ScalarNode) and own.text in known.sandboxed):
        return
    for name in (*named_items(root.get("tools")), *_stand_ins(root)):
        if name.text in SANDBOXED:
            findings.error(
                name,
                f"`{name.text}` runs programs, and this agent may not do so. Ask an administrator to allow it under "
                "Settings, Sandbox, or remove the tool.",
            )


def _stand_ins(root: MappingNode) -> Iterator[ScalarNode]:
    """The tools that stand in for others, or undo what they did."""
    tools = root.get("tools")
    for item in tools.items if isinstance(tools, SequenceNode) else ():
        for key in ("fallback", "rollback"):
            node = child(item, key)
            if isinstance(node, ScalarNode):
                yield node
