"""Where a code point of a text stands: its line and column, as an editor counts them."""

import re
from bisect import bisect_right

from runtime.domain.problem import Fix, Problem, Severity

_LINE_END = re.compile(r"\r\n|\n|\r")


class TextLines:
    """The line starts of a text. Only LF, CRLF and CR end a line: that is what editors count, unlike YAML 1.1."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def place(self, index: int) -> tuple[int, int]:
        """Line and column, both from 1, of text[index]. A byte order mark takes no column."""
        line = bisect_right(self._starts, index)
        column = index - self._starts[line - 1] + 1
        if line == 1 and self.text.startswith("\ufeff"):
            column = max(1, column - 1)
        return line, column

    def line_start(self, index: int) -> int:
        """The index of the first code point of the line that holds text[index]."""
        return self._starts[bisect_right(self._starts, index) - 1]

    def problem(
        self,
        severity: Severity,
        start: int,
        end: int,
        *,
        path: tuple[str, ...],
        message: str,
        fix: Fix | None = None,
    ) -> Problem:
        """A problem that lies over text[start:end]."""
        line, column = self.place(start)
        end_line, end_column = self.place(max(start, end))
        return Problem(severity, line, column, end_line, end_column, ".".join(path), message, fix)
