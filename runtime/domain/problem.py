"""A problem in an author's text: where it is, what it is, and where possible how to mend it."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a problem weighs: an error keeps a version from being published, the others do not."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Fix:
    """Replace text[start:end] of the author's text (code points) by `text`."""

    title: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One sentence about one place. Lines and columns count from 1, columns in characters; the end is exclusive."""

    severity: Severity
    line: int
    column: int
    end_line: int
    end_column: int
    path: str
    message: str
    fix: Fix | None = None

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.severity}: {self.message}"
