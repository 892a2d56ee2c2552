"""Parser events to nodes: counts depth and what aliases add while it goes, so that no bomb is ever built."""

import json
import re
from dataclasses import dataclass, field, replace
from typing import Protocol

import yaml

from runtime.domain.problem import Problem, Severity
from runtime.domain.secret_shape import secret_shapes
from runtime.domain.text_lines import TextLines
from runtime.domain.yaml_node import Entry, MappingNode, Node, Path, ScalarNode, ScalarValue, SequenceNode
from runtime.domain.yaml_scalar import NumberOutOfRange, core_value, is_json_not_finite

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_JSON_ESCAPE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


class Refused(Exception):
    """The text breaks a limit and is not read further; the problem that says so is in the composer's list."""


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not come yet."""

    path: Path
    start: int
    anchor: str | None
    is_mapping: bool
    flow: bool
    key: ScalarNode | None = None
    entries: dict[str, Entry] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)


MAX_PROBLEMS = 1000  # nobody reads more, and each costs its place


class Composer:
    """Takes the events of one document in order; `root` is its node and `problems` what is wrong with its form."""

    def __init__(self, lines: TextLines, *, depth: int, alias_nodes: int) -> None:
        self.lines = lines
        self.root: Node | None = None
        self.problems: list[Problem] = []
        self._depth, self._alias_nodes_left = depth, alias_nodes
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._documents = 0
        self._is_json = lines.text.lstrip("\ufeff \t\r\n").startswith("{")

    def take(self, event: yaml.Event, offset: int) -> None:
        """Take one event whose marks count from `offset`. Raises Refused when a limit is broken."""
        start, end = _index(event.start_mark) + offset, _index(event.end_mark) + offset
        match event:
            case yaml.DocumentStartEvent():
                self._begin_document(start)
            case yaml.AliasEvent():
                self._add(self._alias(event.anchor or "", start, end), None)
            case yaml.ScalarEvent():
                self._refuse_tag(event.tag, start, end)
                self._add(self._scalar(event, start, end), event.anchor)
            case yaml.CollectionStartEvent():
                self._begin_collection(event, start, end)
            case yaml.CollectionEndEvent():
                self._end_collection(end)

    def _begin_document(self, start: int) -> None:
        self._documents += 1
        if self._documents > 1:
            self._refuse(
                start, start, "A second document begins here; an agent file holds one. Put it in its own file."
            )

    def _begin_collection(self, event: yaml.CollectionStartEvent, start: int, end: int) -> None:
        self._refuse_tag(event.tag, start, end)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if self._open and self._open[-1].is_mapping and self._open[-1].key is None:
            self._refuse(start, end, "A key must be one word or text, not a list or a mapping. Write the key as text.")
        if len(self._open) >= self._depth:
            self._refuse(
                start, end, f"This is nested deeper than {self._depth} levels, which is the limit. Flatten it."
            )
        self._open.append(_Open(self._next_path(), start, event.anchor, is_mapping, bool(event.flow_style)))

    def _end_collection(self, end: int) -> None:
        done = self._open.pop()
        node: Node
        if done.is_mapping:
            entries = tuple(done.entries.values())
            end = end if done.flow or not entries else entries[-1].value.end
            node = MappingNode(done.path, done.start, end, entries, done.flow)
        else:
            end = end if done.flow or not done.items else done.items[-1].end
            node = SequenceNode(done.path, done.start, end, tuple(done.items), done.flow)
        self._add(node, done.anchor)

    def _add(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._open:
            self.root = node
            return
        parent = self._open[-1]
        if not parent.is_mapping:
            parent.items.append(node)
        elif parent.key is None:
            parent.key = self._key(node)
        else:
            self._add_entry(parent, Entry(parent.key, node))
            parent.key = None

    def _key(self, node: Node) -> ScalarNode:
        if not isinstance(node, ScalarNode):
            self._refuse(node.start, node.end, "A key must be one word or text. Write the key as text.")
            raise AssertionError
        return replace(node, path=(*self._open[-1].path, node.text), value=node.text)

    def _add_entry(self, parent: _Open, entry: Entry) -> None:
        earlier = parent.entries.get(entry.key.text)
        if earlier is None:
            parent.entries[entry.key.text] = entry
            return
        first, second = self.lines.place(earlier.key.start)[0], self.lines.place(entry.key.start)[0]
        sentence = (
            f"`{_short(entry.key.text)}` stands here twice, in line {first} and in line {second}. Keep one of them."
        )
        self._report(entry.key.start, entry.key.end, entry.key.path, sentence)

    def _scalar(self, event: yaml.ScalarEvent, start: int, end: int) -> ScalarNode:
        path, is_key = self._next_path(), self._is_key_next()
        text, style = event.value, event.style or ""
        if style == '"' and _JSON_ESCAPE.search(self.lines.text, start, end):
            text = _json_text(self.lines.text[start:end], text)
        if style:
            self._refuse_unstorable(text, start, end, path)
        if style or is_key:
            return ScalarNode(path, start, end, text, text, style)
        return ScalarNode(path, start, end, text, self._plain(text, start, end, path))

    def _refuse_unstorable(self, text: str, start: int, end: int, path: Path) -> None:
        found = _UNSTORABLE.search(text)
        if found is not None:
            what = "the character NUL" if found[0] == "\x00" else "half of a character"
            where = "This key" if self._is_key_next() else "This text"
            escape = f"`\\u{ord(found[0]):04x}`"
            self._report(start, end, path, f"{where} holds {what} ({escape}), which cannot be stored. Remove it.")

    def _plain(self, text: str, start: int, end: int, path: Path) -> ScalarValue:
        try:
            value = core_value(text)
        except NumberOutOfRange:
            sentence = "This number is out of range: it is too large or not finite. Write a smaller one."
            self._report(start, end, path, sentence)
            return text
        if is_json_not_finite(text) and self._is_json:
            self._report(start, end, path, f"`{text}` is no number that JSON can hold. Write a number or null.")
        return value

    def _alias(self, name: str, start: int, end: int) -> Node:
        opened = next((item for item in self._open if item.anchor == name), None)
        if opened is not None:
            line, inside = self.lines.place(opened.start)[0], self.lines.place(start)[0]
            self._refuse(
                start,
                end,
                f"The alias `*{_short(name)}` in line {inside} stands inside its own anchor of line {line}. Remove it.",
            )
        node = self._anchors.get(name)
        if node is None:
            self._refuse(
                start,
                end,
                f"The alias `*{_short(name)}` has no anchor `&{_short(name)}` above it. Write the value itself.",
            )
            raise AssertionError
        copied = self._copied(node, self._next_path(), len(self._open), start)
        return replace(copied, start=start, end=end)  # a problem about the whole stands at the alias

    def _copied(self, node: Node, path: Path, depth: int, alias: int) -> Node:
        self._alias_nodes_left -= 1
        if self._alias_nodes_left < 0:
            self._refuse(
                alias, alias + 1, "The aliases of this file repeat too much of it. Write the values themselves."
            )
        if depth > self._depth:
            self._refuse(
                alias,
                alias + 1,
                f"With this alias the nesting is deeper than {self._depth} levels, which is the limit. Flatten it.",
            )
        match node:
            case ScalarNode():
                return replace(node, path=path)
            case SequenceNode():
                items = (self._copied(item, (*path, str(i)), depth + 1, alias) for i, item in enumerate(node.items))
                return replace(node, path=path, items=tuple(items))
            case MappingNode():
                return replace(
                    node, path=path, entries=tuple(self._copied_entry(e, path, depth, alias) for e in node.entries)
                )

    def _copied_entry(self, entry: Entry, path: Path, depth: int, alias: int) -> Entry:
        path = (*path, entry.key.text)
        return Entry(replace(entry.key, path=path), self._copied(entry.value, path, depth + 1, alias))

    def _next_path(self) -> Path:
        if not self._open:
            return ()
        parent = self._open[-1]
        if not parent.is_mapping:
            return (*parent.path, str(len(parent.items)))
        return parent.path if parent.key is None else parent.key.path

    def _is_key_next(self) -> bool:
        return bool(self._open) and self._open[-1].is_mapping and self._open[-1].key is None

    def _refuse_tag(self, tag: str | None, start: int, end: int) -> None:
        if tag is not None:
            self._report(
                start, end, self._next_path(), "Tags (words that begin with `!`) are not allowed here. Remove the tag."
            )

    def _report(self, start: int, end: int, path: Path, message: str) -> None:
        if len(self.problems) >= MAX_PROBLEMS:
            return
        steps = tuple("…" if any(secret_shapes(step)) else step for step in path)
        self.problems.append(self.lines.problem(Severity.ERROR, start, end, path=steps, message=message))

    def _refuse(self, start: int, end: int, message: str) -> None:
        self._report(start, end, self._next_path(), message)
        raise Refused


class _Mark(Protocol):
    @property
    def index(self) -> int: ...


def _index(mark: _Mark | None) -> int:
    assert mark is not None  # the C parser marks every event
    return mark.index


def _json_text(raw: str, read: str) -> str:
    try:
        value = json.loads(raw, strict=False)
    except ValueError:
        return read
    return value if isinstance(value, str) else read


def _short(text: str) -> str:
    """A word of the text for a message: never a long one, and never one that looks like a secret."""
    if any(secret_shapes(text)):
        return "…"
    return text if len(text) <= 60 else text[:60] + "…"
