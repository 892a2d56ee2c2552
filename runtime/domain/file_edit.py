"""One field of an agent file changed in the author's text: comments, order, quotes and line ends stay.

Every change is read back before it is given out: a text that does not say exactly what was wanted is never returned.
Source: agent-file.md, "The agent file".
"""

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, TypeGuard

from runtime.domain.canonical import FLUX_NAMES
from runtime.domain.definition import Definition
from runtime.domain.definition_shape import keys_at
from runtime.domain.errors import RuntimeFault
from runtime.domain.yaml_node import MappingNode, Node, Path, ScalarNode, SequenceNode, child, is_alias, plain_value
from runtime.domain.yaml_splice import Splicer
from runtime.domain.yaml_text import IMPORT_LIMITS, read_yaml
from runtime.domain.yaml_write import is_list

_FLUX_NAME_OF = {target: name for name, target in FLUX_NAMES.items() if len(target) > 1}


class EditRefused(RuntimeFault):
    """A text that cannot be edited in place; the text itself has to be changed."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


def edit(text: str, path: str | Sequence[str], value: object) -> str:
    """The text with the field at a path set to a value; None removes the field, and what is left empty around it.

    The path is that of a problem (`tools.0.files.workspace`) or of a field (`limits.max_tool_calls`, also where the
    file has it by its Flux name). A list index one past the end adds an item. Mappings and lists are changed where
    they differ and nowhere else.
    Raises EditRefused when the text cannot be read, or when the place cannot be changed without touching another.
    """
    root = document(text)
    steps = _steps(root, path.split(".") if isinstance(path, str) else list(path))
    for target, wanted in _changes(root, steps, value):
        text = _changed(text, target, wanted)
    return text


def document(text: str) -> MappingNode:
    """The keys of a text, none for an empty one. Raises EditRefused."""
    read = read_yaml(text, IMPORT_LIMITS)
    if read.problems:
        first = read.problems[0]
        raise EditRefused(f"The text cannot be edited by the form before line {first.line} is mended: {first.message}")
    if read.root is None or (isinstance(read.root, ScalarNode) and read.root.text == ""):
        return MappingNode((), len(text), len(text), ())
    if not isinstance(read.root, MappingNode):
        raise EditRefused("The text is no mapping of keys, so the form cannot edit it. Change the text itself.")
    return read.root


def _steps(root: MappingNode, words: list[str]) -> Path:
    """The path as keys of the document; keys that hold dots are put together, Flux names are used where they stand."""
    flux = _FLUX_NAME_OF.get(tuple(words))
    above = root.get(words[0])
    if flux is not None and (root.get(flux) is not None or (isinstance(above, ScalarNode) and above.value is not None)):
        return (flux,)
    if words == ["planning", "enabled"] and isinstance(above, ScalarNode):
        return ("planning",)
    steps: list[str] = []
    node: Node | None = root
    while words:
        size = 1
        if isinstance(node, MappingNode):
            size = next((n for n in range(len(words), 0, -1) if node.get(".".join(words[:n])) is not None), 1)
        steps.append(".".join(words[:size]))
        node = child(node, steps[-1]) if node else None
        words = words[size:]
    return tuple(steps)


def _at(node: Node | None, steps: Path) -> Node | None:
    for step in steps:
        node = child(node, step) if node else None
    return node


def _changes(root: Node, steps: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    """Single changes that together lead to the value, in an order in which each leaves the next one's path valid."""
    node = _at(root, steps)
    if node is not None and value is not None and is_same(plain_value(node), value):
        return
    if node is not None and is_alias(node):
        yield steps, value
    elif isinstance(node, MappingNode) and node.entries and isinstance(value, Mapping) and value:
        for key, wanted in value.items():
            yield from _changes(root, (*steps, str(key)), wanted)
        yield from (((*steps, key), None) for key in node.names() if key not in value)
    elif isinstance(node, SequenceNode) and node.items and is_list(value) and value:
        yield from _list_changes(root, steps, plain_value(node), list(value))
    elif node is not None or value is not None:
        yield steps, value


def _list_changes(root: Node, steps: Path, old: list[Any], new: list[Any]) -> Iterator[tuple[Path, Any]]:
    matcher = SequenceMatcher(None, [_key(item) for item in old], [_key(item) for item in new], autojunk=False)
    for kind, low, high, new_low, new_high in reversed(matcher.get_opcodes()):
        if kind == "equal":
            continue
        both = min(high - low, new_high - new_low)
        for index in reversed(range(new_low + both, new_high)):
            yield (*steps, f"{low + both}+"), new[index]
        for index in reversed(range(low + both, high)):
            yield (*steps, str(index)), None
        for offset in reversed(range(both)):
            yield from _changes(root, (*steps, str(low + offset)), new[new_low + offset])


def _changed(text: str, steps: Path, value: Any) -> str:
    """The text after one change, the first way of writing it that reads back as wanted."""
    root = document(text)
    steps, value = _pruned(root, steps) if value is None else (steps, value)
    expected = _expected(plain_value(root), steps, value)
    for blocks in (True, False):
        for changed in _ways(Splicer(text, blocks), root, steps, value):
            read = read_yaml(changed, IMPORT_LIMITS)
            found = plain_value(read.root) if read.root is not None else {}
            if not read.problems and is_same(found or {}, expected):
                return changed
    name = ".".join(steps)
    raise EditRefused(f"`{name}` cannot be changed in place: it is shared with another place. Change the text itself.")


def _pruned(root: MappingNode, steps: Path) -> tuple[Path, Any]:
    """The change that removes a place with what would be empty without it.

    Settings inside a list item become `{}` instead: a tool without its last setting is still a tool.
    """
    while len(steps) > 1:
        parent, above = _at(root, steps[:-1]), _at(root, steps[:-2])
        if not _has_one_part(parent) or child(parent, steps[-1]) is None:
            break
        if isinstance(above, MappingNode) and any(
            isinstance(_at(root, steps[:n]), SequenceNode) for n in range(len(steps))
        ):
            return steps[:-1], {}
        steps = steps[:-1]
    return steps, None


def _has_one_part(node: Node | None) -> TypeGuard[MappingNode | SequenceNode]:
    match node:
        case MappingNode(entries=parts) | SequenceNode(items=parts):
            return len(parts) == 1
        case _:
            return False


def _expected(document: Any, steps: Path, value: Any) -> Any:
    document = copy.deepcopy(document)
    whole = document
    for number, step in enumerate(steps):
        is_last = number == len(steps) - 1
        if isinstance(document, list):
            _check_index(document, steps[: number + 1], is_last=is_last)
        elif not isinstance(document, dict):
            name = ".".join(steps[:number])
            raise EditRefused(f"`{name}` is no mapping, so `{step}` cannot be set in it. Change the text itself.")
        elif not is_last and document.get(step) is None:
            document[step] = {}
        if not is_last:
            document = document[int(step)] if isinstance(document, list) else document[step]
    last = steps[-1]
    if isinstance(document, list):
        _expect_item(document, last, value)
    elif value is None:
        document.pop(last, None)
    else:
        document[last] = value
    return whole


def _check_index(items: list[Any], steps: Path, *, is_last: bool) -> None:
    digits = steps[-1].removesuffix("+")
    if not digits.isdecimal() or int(digits) >= len(items) + is_last:
        name = ".".join(steps[:-1])
        raise EditRefused(f"`{name}` is a list of {len(items)} items and has none named `{steps[-1]}`. Use a number.")


def _expect_item(items: list[Any], step: str, value: Any) -> None:
    if step.endswith("+"):
        items.insert(int(step[:-1]), value)
    elif value is None:
        del items[int(step) : int(step) + 1]
    elif int(step) == len(items):
        items.append(value)
    else:
        items[int(step)] = value


def _ways(splicer: Splicer, root: MappingNode, steps: Path, value: Any) -> Iterator[str]:
    parent, last = _at(root, steps[:-1]), steps[-1]
    node = child(parent, last) if parent else None
    if value is None:
        yield from _removals(splicer, parent, last)
    elif node is not None:
        in_flow = any(_is_flow(_at(root, steps[:size])) for size in range(len(steps)))
        yield splicer.replaced(node, value, parent_column=_parent_column(splicer, root, steps), in_flow=in_flow)
    elif isinstance(parent, SequenceNode):
        at = int(last.removesuffix("+"))
        yield splicer.with_item(parent, value, at=at)
    else:
        yield from _additions(splicer, root, steps, value)


def _removals(splicer: Splicer, parent: Node | None, last: str) -> Iterator[str]:
    if isinstance(parent, MappingNode) and last in parent.names():
        yield splicer.without_entry(parent, parent.names().index(last))
    elif isinstance(parent, SequenceNode) and child(parent, last) is not None:
        yield splicer.without_item(parent, int(last))
    else:
        yield splicer.text


def _additions(splicer: Splicer, root: MappingNode, steps: Path, value: Any) -> Iterator[str]:
    """Add a key, with the mappings around it that are missing, behind the key that usually comes before it."""
    depth = next(size for size in range(len(steps) - 1, -1, -1) if _at(root, steps[:size]) is not None)
    for step in reversed(steps[depth + 1 :]):
        value = {step: value}
    parent, key = _at(root, steps[:depth]), steps[depth]
    if isinstance(parent, MappingNode):
        if parent.entries or parent.flow or not steps[:depth]:
            yield splicer.with_entry(parent, key, value, after=_place_for(parent, key, steps[:depth]))
            yield splicer.with_entry(parent, key, value, after=-1)
    elif isinstance(parent, ScalarNode) and parent.value is None:
        above = _at(root, steps[: depth - 1])
        if isinstance(above, MappingNode) and (entry := above.entry(steps[depth - 1])) and not above.flow:
            yield splicer.with_child(entry, key, value, column=splicer.column(entry.key.start))
        yield splicer.replaced(parent, {key: value}, parent_column=0, in_flow=True)


def _place_for(parent: MappingNode, key: str, steps: Path) -> int:
    order = tuple(_order(steps))
    if key not in order:
        return len(parent.entries) - 1
    before = set(order[: order.index(key)])
    found = [number for number, name in enumerate(parent.names()) if name in before]
    return found[-1] if found else len(parent.entries) - 1 if steps else -1


def _order(steps: Path) -> Sequence[str]:
    if not steps:
        return tuple(Definition.model_fields)
    return keys_at([int(step) if step.isdecimal() else step for step in steps])


def _parent_column(splicer: Splicer, root: MappingNode, steps: Path) -> int:
    parent = _at(root, steps[:-1])
    if isinstance(parent, MappingNode) and parent.entries:
        return splicer.column(parent.entries[0].key.start)
    return splicer.column(parent.start) if parent else 0


def _is_flow(node: Node | None) -> bool:
    return isinstance(node, MappingNode | SequenceNode) and node.flow


def is_same(one: Any, other: Any) -> bool:
    """Equal in value and in type: true is not 1, and a text is not a number."""
    return _key(one) == _key(other)


def _key(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=list, sort_keys=True)
