"""A YAML document as nodes that know where they stand in the text."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

type Path = tuple[str, ...]
type ScalarValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class ScalarNode:
    """One value. `style` is "" for plain, else the quote or block sign; start and end are code points."""

    path: Path
    start: int
    end: int
    text: str
    value: ScalarValue
    style: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a mapping with what stands behind it."""

    key: ScalarNode
    value: "Node"


@dataclass(frozen=True, slots=True)
class SequenceNode:
    """A list; `flow` when it is written in brackets."""

    path: Path
    start: int
    end: int
    items: tuple["Node", ...]
    flow: bool = False


@dataclass(frozen=True, slots=True)
class MappingNode:
    """A mapping; `flow` when it is written in braces. Keys are unique texts."""

    path: Path
    start: int
    end: int
    entries: tuple[Entry, ...]
    flow: bool = False

    def get(self, key: str) -> "Node | None":
        """What stands behind a key, or None."""
        entry = self.entry(key)
        return entry.value if entry else None

    def entry(self, key: str) -> Entry | None:
        """Key and value, or None."""
        return next((entry for entry in self.entries if entry.key.text == key), None)

    def names(self) -> tuple[str, ...]:
        """The keys in order."""
        return tuple(entry.key.text for entry in self.entries)


type Node = ScalarNode | SequenceNode | MappingNode


def plain_value(node: Node) -> Any:
    """The node as dict, list and scalars."""
    match node:
        case ScalarNode():
            return node.value
        case SequenceNode():
            return [plain_value(item) for item in node.items]
        case MappingNode():
            return {entry.key.text: plain_value(entry.value) for entry in node.entries}


def scalars(node: Node) -> Iterator[ScalarNode]:
    """Every scalar under a node, keys included, in the order of the text."""
    match node:
        case ScalarNode():
            yield node
        case SequenceNode():
            for item in node.items:
                yield from scalars(item)
        case MappingNode():
            for entry in node.entries:
                yield entry.key
                yield from scalars(entry.value)


def is_alias(node: Node) -> bool:
    """Whether a list or mapping that is not empty stands here by an alias: its parts are then written elsewhere."""
    match node:
        case SequenceNode(items=(first, *_)) | MappingNode(entries=(Entry(key=first), *_)):
            return not node.start <= first.start <= node.end
        case _:
            return False


def child(node: Node, step: str) -> Node | None:
    """The node one step further down, or None."""
    match node:
        case MappingNode():
            return node.get(step)
        case SequenceNode() if step.isdecimal() and int(step) < len(node.items):
            return node.items[int(step)]
        case _:
            return None
