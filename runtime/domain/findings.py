"""Collects the problems that are found about the nodes of one text."""

from runtime.domain.problem import Fix, Problem, Severity
from runtime.domain.text_lines import TextLines
from runtime.domain.yaml_node import Node, Path, ScalarNode

PROBLEMS_AT_MOST = 200


class Findings:
    """Problems in the making. A place that already has an error gets no second problem from a later check.

    Of errors, and of the rest, PROBLEMS_AT_MOST are kept: nobody reads more.
    """

    def __init__(self, lines: TextLines) -> None:
        self.lines = lines
        self._problems: list[Problem] = []
        self._errors = self._others = 0
        self._wrong: set[Path] = set()
        self._around_wrong: set[Path] = set()

    def error(self, node: Node, message: str, fix: Fix | None = None) -> None:
        """Something that keeps a version from being published."""
        if not self.is_wrong(node.path):
            self._mark(node.path)
            self._add(Severity.ERROR, node, node.path, message, fix)

    def missing(self, node: Node, key: str, message: str) -> None:
        """A key that should stand in a mapping and does not; its path is where it would stand."""
        path = (*node.path, key)
        if not self.is_wrong(path):
            self._mark(path)
            self._add(Severity.ERROR, node, path, message)

    def warning(self, node: Node, message: str, fix: Fix | None = None) -> None:
        """Something that is most likely not meant."""
        if not self.is_wrong(node.path):
            self._add(Severity.WARNING, node, node.path, message, fix)

    def hint(self, node: Node, message: str) -> None:
        """Something worth knowing."""
        if not self.is_wrong(node.path):
            self._add(Severity.HINT, node, node.path, message)

    def error_at(self, start: int, end: int, path: Path, message: str) -> None:
        """An error about text[start:end] inside a value; several may stand in one value."""
        self._keep(self.lines.problem(Severity.ERROR, start, end, path=path, message=message))

    def secret(self, start: int, end: int, path: Path, message: str, *, hides: Path | None = None) -> None:
        """Something that must not be repeated: no later check says anything about this place or what holds it."""
        self._mark(hides or path)
        self.error_at(start, end, path, message)

    def is_wrong(self, path: Path) -> bool:
        """Whether there is an error at this place, above it or under it."""
        return path in self._around_wrong or any(path[:size] in self._wrong for size in range(1, len(path) + 1))

    @property
    def is_full(self) -> bool:
        """Whether there are more errors than anybody reads."""
        return self._errors >= PROBLEMS_AT_MOST

    def count(self) -> int:
        """How many problems there are so far."""
        return self._errors + self._others

    def has_errors(self) -> bool:
        """Whether an error was found so far."""
        return self._errors > 0

    def sorted(self) -> tuple[Problem, ...]:
        """All problems in the order of the text."""
        return tuple(sorted(self._problems, key=lambda problem: (problem.line, problem.column)))

    def _mark(self, path: Path) -> None:
        self._wrong.add(path)
        self._around_wrong.update(path[:size] for size in range(1, len(path)))

    def _add(self, severity: Severity, node: Node, path: Path, message: str, fix: Fix | None = None) -> None:
        end = _shown_end(node, self.lines.text)
        self._keep(self.lines.problem(severity, node.start, end, path=path, message=message, fix=fix))

    def _keep(self, problem: Problem) -> None:
        if problem.severity is Severity.ERROR:
            self._errors += 1
            is_kept = self._errors <= PROBLEMS_AT_MOST
        else:
            self._others += 1
            is_kept = self._others <= PROBLEMS_AT_MOST
        if is_kept:
            self._problems.append(problem)


def _shown_end(node: Node, text: str) -> int:
    if isinstance(node, ScalarNode) and node.style in ("|", ">"):
        return node.start + 1
    first_line = text[node.start : node.end].split("\n", 1)[0].rstrip()
    return node.start + len(first_line)
