"""Changes of one place in a YAML text: everything around it stays as the author wrote it.

Each function gives a new text; none checks that it says what is wanted, `file_edit` does.
"""

import re
from dataclasses import dataclass

from runtime.domain.yaml_node import Entry, MappingNode, Node, ScalarNode, SequenceNode
from runtime.domain.yaml_write import (
    block_header,
    block_lines,
    can_be_block,
    entry_lines,
    flow_text,
    is_list,
    item_lines,
    scalar_text,
)

_ANCHOR = re.compile(r"&[^\s,\[\]{}]+[ \t]*")
_TRAILING_BLANK = re.compile(r"(?:\r?\n[ \t]*)+\Z")
_REST_OF_LINE = re.compile(r"[^\r\n]*")
_LINE_END = re.compile(r"\r?\n")
_BLOCK_SIGN = re.compile(r"[|>][-+0-9]*(?P<comment>[^\r\n]*)")
_GAP = re.compile(r"[:-](?P<gap>(?:[ \t]*(?:#[^\r\n]*)?\r?\n)+[ \t]*)\Z")
_SEPARATOR = re.compile(r",\s+")


@dataclass(frozen=True, slots=True)
class Splicer:
    """One text with the ways of changing it. `blocks` allows texts of several lines to become `|` blocks."""

    text: str
    blocks: bool = True

    def replaced(self, node: Node, value: object, *, parent_column: int, in_flow: bool) -> str:
        """The text with another value at a node's place."""
        start = self._behind_anchor(node)
        if isinstance(value, str) and "\n" in value and not in_flow and self.blocks and can_be_block(value):
            return self._with_block(node, start, value, parent_column)
        style = node.style if isinstance(node, ScalarNode) else ""
        short = self._one_line(value, style=style, flow=in_flow)
        if isinstance(node, ScalarNode) and node.style in ("|", ">"):
            return self.text[:start] + short + self._block_comment(node) + self.text[self.content_end(node) :]
        if self._is_on_later_line(node):
            return self._behind_sign(start, short) + self.text[self.content_end(node) :]
        space = " " if start == node.end and self.text[start - 1 : start] in (":", "-", ",") else ""
        return self.text[:start] + space + short + self.text[self.content_end(node) :]

    def with_entry(self, mapping: MappingNode, key: str, value: object, *, after: int) -> str:
        """The text with a new key behind entry number `after` of a mapping; -1 puts it first."""
        if not mapping.entries and not mapping.flow:
            return self._with_lines(len(self.text), entry_lines(key, value), 0)
        if mapping.flow:
            as_json = self._is_json
            new = f"{scalar_text(key, flow=True, as_json=as_json)}: {flow_text(value, as_json=as_json)}"
            return self._with_flow_part(mapping, [(e.key.start, e.value) for e in mapping.entries], new, after)
        column = self.column(mapping.entries[0].key.start)
        lines = entry_lines(key, value) if self.blocks else [f"{scalar_text(key)}: {flow_text(value)}"]
        if after < 0:
            return self._with_lines_before(mapping.entries[0].key.start, lines, column)
        return self._with_lines(self.line_end(mapping.entries[after].value), lines, column)

    def with_item(self, sequence: SequenceNode, value: object, *, at: int) -> str:
        """The text with a new item in a list, before item number `at` or at its end."""
        if sequence.flow:
            items = [(item.start, item) for item in sequence.items]
            return self._with_flow_part(sequence, items, flow_text(value, as_json=self._is_json), at - 1)
        dash = self._dash(sequence, 0)
        lines = item_lines(value) if self.blocks else [f"- {flow_text(value)}"]
        if at == 0:
            return self._with_lines_before(dash, lines, self.column(dash))
        return self._with_lines(self.line_end(sequence.items[at - 1]), lines, self.column(dash))

    def with_child(self, entry: Entry, key: str, value: object, *, column: int) -> str:
        """The text with a first key below a key that had no value yet."""
        lines = entry_lines(key, value) if self.blocks else [f"{scalar_text(key)}: {flow_text(value)}"]
        return self._with_lines(self.line_end(entry.value), lines, column + 2)

    def without_entry(self, mapping: MappingNode, number: int) -> str:
        """The text without one entry of a mapping."""
        parts = [(entry.key.start, entry.value) for entry in mapping.entries]
        return self._without(parts, number, flow=mapping.flow)

    def without_item(self, sequence: SequenceNode, number: int) -> str:
        """The text without one item of a list."""
        starts = [item.start if sequence.flow else self._dash(sequence, i) for i, item in enumerate(sequence.items)]
        return self._without(list(zip(starts, sequence.items, strict=True)), number, flow=sequence.flow)

    def column(self, index: int) -> int:
        """How far from its line's start text[index] stands, from 0; a byte order mark does not count."""
        start = self.text.rfind("\n", 0, index) + 1
        return index - start - self.text.startswith("\ufeff", start)

    def content_end(self, node: Node) -> int:
        """Where what a node says ends, blank lines behind a block left out."""
        match node:
            case ScalarNode(style="|" | ">"):
                raw = self.text[node.start : node.end]
                header = _REST_OF_LINE.match(raw)
                if header is not None and "+" in header[0].split("#")[0]:
                    return node.start + len(raw.removesuffix("\n").removesuffix("\r"))
                blank = _TRAILING_BLANK.search(raw)
                return node.start + (blank.start() if blank else len(raw))
            case MappingNode(flow=False) if node.entries and not self._is_alias(node):
                return self.content_end(node.entries[-1].value)
            case SequenceNode(flow=False) if node.items and not self._is_alias(node):
                return self.content_end(node.items[-1])
            case _:
                return node.end

    def line_end(self, node: Node) -> int:
        """The end of the line on which a node's content ends, its line end and comment included."""
        rest = _REST_OF_LINE.match(self.text, self.content_end(node))
        end = rest.end() if rest else len(self.text)
        line_end = _LINE_END.match(self.text, end)
        return line_end.end() if line_end else end

    @property
    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    @property
    def _is_json(self) -> bool:
        return self.text.lstrip("\ufeff \t\r\n").startswith(("{", "["))

    def _one_line(self, value: object, *, style: str, flow: bool) -> str:
        if isinstance(value, dict) or is_list(value):
            return flow_text(value, as_json=self._is_json)
        quote = style if style in ("'", '"') else ""
        return scalar_text(value, style=quote, flow=flow, as_json=self._is_json)

    def _with_block(self, node: Node, start: int, value: str, parent_column: int) -> str:
        """A text of several lines as a block; a comment behind the value stays behind the block's sign."""
        if isinstance(node, ScalarNode) and node.style in ("|", ">"):
            return self._with_other_block(node, start, value, parent_column)
        end = self.content_end(node)
        rest = _REST_OF_LINE.match(self.text, end)
        comment = rest[0] if rest else ""
        head = self.text[:start]
        if self._is_on_later_line(node) or not head.endswith((" ", "\t")):
            head = head.rstrip() + " "
        indent = parent_column + 2
        return head + self._block(value, comment, indent, parent_column) + self.text[end + len(comment) :]

    def _with_other_block(self, node: ScalarNode, start: int, value: str, parent_column: int) -> str:
        """Another block at the indentation of the one that stands there, so that lines that stay the same stay."""
        indent = self._block_indent(node) or parent_column + 2
        block = self._block(value, self._block_comment(node), indent, parent_column)
        owns_blank_lines = value.endswith("\n\n") or "+" in self.text[start : start + 3]
        if not owns_blank_lines:
            return self.text[:start] + block + self.text[self.content_end(node) :]
        tail = self.text[node.end :]
        return self.text[:start] + block + (self._newline if tail else "") + tail

    def _block(self, value: str, comment: str, indent: int, parent_column: int) -> str:
        lines = [block_header(value, indent - parent_column) + comment, *block_lines(value, " " * indent)]
        return self._newline.join(lines)

    def _behind_sign(self, start: int, short: str) -> str:
        """The text up to a value on a later line, with a short value behind the colon or dash; comments stay."""
        gap = _GAP.search(self.text, 0, start)
        sign = gap.start("gap") if gap else start
        return f"{self.text[:sign]} {short}{self.text[sign:start].rstrip()}"

    def _block_comment(self, node: ScalarNode) -> str:
        header = _BLOCK_SIGN.match(self.text, self._behind_anchor(node))
        return header["comment"] if header else ""

    def _block_indent(self, node: ScalarNode) -> int:
        lines = self.text[node.start : node.end].splitlines()[1:]
        full = [line for line in lines if line.strip()]
        return min((len(line) - len(line.lstrip(" ")) for line in full), default=0)

    def _with_lines(self, at: int, lines: list[str], column: int) -> str:
        newline = self._newline
        body = newline.join(" " * column + line if line else "" for line in lines)
        before, behind = self.text[:at], self.text[at:]
        if before and not before.endswith("\n") and before != "\ufeff":
            return before + newline + body + behind
        return before + body + newline + behind

    def _with_lines_before(self, at: int, lines: list[str], column: int) -> str:
        newline = self._newline
        body = newline.join(" " * column * (number > 0) + line for number, line in enumerate(lines))
        return self.text[:at] + body + newline + " " * column + self.text[at:]

    def _with_flow_part(self, whole: Node, parts: list[tuple[int, Node]], new: str, after: int) -> str:
        if not parts:
            inside = self._behind_anchor(whole) + 1
            return self.text[:inside] + new + self.text[inside:].lstrip(" ")
        if after < 0:
            return self.text[: parts[0][0]] + new + ", " + self.text[parts[0][0] :]
        end = parts[after][1].end
        between = self.text[parts[-2][1].end : parts[-1][0]] if len(parts) > 1 else ", "
        separator = between if _SEPARATOR.fullmatch(between) else ", "
        return self.text[:end] + separator + new + self.text[end:]

    def _without(self, parts: list[tuple[int, Node]], number: int, *, flow: bool) -> str:
        start, node = parts[number]
        if flow and number > 0:
            return self.text[: parts[number - 1][1].end] + self.text[node.end :]
        stands_first = self.text[:start].rpartition("\n")[2].strip(" \ufeff") != ""
        if flow or (stands_first and number + 1 < len(parts)):
            end = parts[number + 1][0] if number + 1 < len(parts) else node.end
            return self.text[:start] + self.text[end:]
        line_start = start - self.column(start)
        return self.text[:line_start] + self.text[self.line_end(node) :]

    def _dash(self, sequence: SequenceNode, number: int) -> int:
        """Where the dash of an item stands."""
        low = sequence.start if number == 0 else self.content_end(sequence.items[number - 1])
        return max(low, self.text.rfind("-", low, max(sequence.items[number].start, low + 1)))

    def _behind_anchor(self, node: Node) -> int:
        anchor = _ANCHOR.match(self.text, node.start)
        is_plain_text = isinstance(node, ScalarNode) and node.style == "" and node.text.startswith("&")
        return anchor.end() if anchor and not is_plain_text else node.start

    def _is_alias(self, node: Node) -> bool:
        return self.text.startswith("*", node.start)

    def _is_on_later_line(self, node: Node) -> bool:
        """Whether a value begins on a line of its own, below its key."""
        before = self.text[: node.start].rpartition("\n")[2]
        return node.start > 0 and before.strip(" ") == "" and not isinstance(node, ScalarNode)
