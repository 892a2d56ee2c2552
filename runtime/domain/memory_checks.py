"""Keys in the memory section of an agent file, checked against what a key can be."""

import re
from collections.abc import Iterator

from runtime.domain.findings import Findings
from runtime.domain.memory import KEY_CHARACTERS
from runtime.domain.yaml_node import MappingNode, Node, ScalarNode, SequenceNode

_PATTERN = re.compile(rf"[A-Za-z0-9_.*\-]{{1,{KEY_CHARACTERS}}}")


def check_memory(root: MappingNode, findings: Findings) -> None:
    """An error for each pattern that no key can match."""
    for node in _patterns(root):
        if isinstance(node, ScalarNode) and isinstance(node.value, str) and not _PATTERN.fullmatch(node.value):
            findings.error(
                node,
                f"No key can match `{node.value[:60]}`. Keys have letters, digits, dots, dashes and underscores, such "
                "as `language` or `orders.last`; `*` stands for anything.",
            )


def _patterns(root: MappingNode) -> Iterator[Node]:
    memory = root.get("memory")
    if isinstance(memory, MappingNode):
        for name in ("inject", "capture"):
            yield from _items(memory.get(name))
    agents = root.get("agents")
    for agent in agents.items if isinstance(agents, SequenceNode) else ():
        context = agent.get("context") if isinstance(agent, MappingNode) else None
        if isinstance(context, MappingNode):
            yield from _items(context.get("memory"))


def _items(node: Node | None) -> Iterator[Node]:
    if isinstance(node, SequenceNode):
        yield from node.items
