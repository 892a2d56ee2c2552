"""Which fields of an agent file do not act yet: the one table. A field that acts has no line here.

A field that guards must not be published before it acts: its author would rely on a guard that is not there.
Source: runtime.md, 6, "Fail closed".
"""

from collections.abc import Iterator
from dataclasses import dataclass

from runtime.domain.findings import Findings
from runtime.domain.removal_fix import removal_fix
from runtime.domain.yaml_node import MappingNode, Node, ScalarNode, SequenceNode


@dataclass(frozen=True, slots=True)
class Later:
    """A field that is read and kept but does not act yet; `*` stands for any item or name.

    `harmless` are the values that ask for nothing.
    """

    place: str
    guards: bool = False
    harmless: tuple[object, ...] = ()
    sentence: str = ""


_PROGRAM = (
    "`{name}` names a program to run, and nothing in an agent file is ever run here. Remove it and grant tools by name."
)

LATER = (
    Later("memory.dream", guards=True),
    Later("mcp_servers"),
    Later("hooks", guards=True, sentence=_PROGRAM),
    Later("tools_file", guards=True, sentence=_PROGRAM),
    Later("workflow_file", guards=True, sentence=_PROGRAM),
)

_FIXES_AT_MOST = 10


def report_not_acting(root: MappingNode, findings: Findings) -> None:
    """A problem for each field of the canonical tree that does not act yet: an error if it guards, else a hint."""
    fixes = _FIXES_AT_MOST
    for later in LATER:
        for key, node in _found(root, root, later.place.split(".")):
            if isinstance(node, ScalarNode) and node.value in later.harmless:
                continue
            name = next((step for step in reversed(node.path) if not step.isdecimal()), later.place)
            sentence = later.sentence or (_GUARD if later.guards else _KEPT)
            if later.guards:
                fix = removal_fix(findings.lines.text, node.path) if (fixes := fixes - 1) >= 0 else None
                findings.error(node, sentence.format(name=name), fix)
            else:
                findings.hint(key, sentence.format(name=name))


_GUARD = "`{name}` does not act yet, so this version cannot be published. Remove it to publish."
_KEPT = "`{name}` is kept and does not act yet."


def _found(key: Node, node: Node, steps: list[str]) -> Iterator[tuple[Node, Node]]:
    """Every key and value that a place with wildcards leads to."""
    if not steps:
        yield key, node
        return
    step, rest = steps[0], steps[1:]
    match node:
        case MappingNode():
            for entry in node.entries:
                if step in ("*", entry.key.text):
                    yield from _found(entry.key, entry.value, rest)
        case SequenceNode() if step == "*":
            for item in node.items:
                yield from _found(item, item, rest)
