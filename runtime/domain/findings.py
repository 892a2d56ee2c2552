"""Collects the problems that are found about the nodes of one text."""

from runtime.domain.problem import Fix, Problem, Severity
from runtime.domain.text_lines import TextLines
from runtime.domain.yaml_node import Node, Path, ScalarNode


class Findings:
    """Problems in the making. A place that already has an error gets no second problem from a later check."""

    def __init__(self, lines: TextLines) -> None:
        self.lines = lines
        self._problems: list[Problem] = []
        self._wrong: set[Path] = set()

    def error(self, node: Node, message: str, fix: Fix | None = None) -> None:
        """Something that keeps a version from being published."""
        if not self.is_wrong(node.path):
            self._wrong.add(node.path)
            self._add(Severity.ERROR, node, message, fix)

    def warning(self, node: Node, message: str, fix: Fix | None = None) -> None:
        """Something that is most likely not meant."""
        if not self.is_wrong(node.path):
            self._add(Severity.WARNING, node, message, fix)

    def hint(self, node: Node, message: str) -> None:
        """Something worth knowing."""
        if not self.is_wrong(node.path):
            self._add(Severity.HINT, node, message, None)

    def missing(self, node: Node, key: str, message: str) -> None:
        """A key that should stand in a mapping and does not; its path is where it would stand."""
        end = _shown_end(node, self.lines.text)
        path = (*node.path, key)
        if not self.is_wrong(path):
            self._wrong.add(path)
            self._problems.append(self.lines.problem(Severity.ERROR, node.start, end, path=path, message=message))

    def error_at(self, start: int, end: int, path: Path, message: str) -> None:
        """An error about text[start:end] inside a value; several may stand in one value."""
        self._problems.append(self.lines.problem(Severity.ERROR, start, end, path=path, message=message))

    def is_wrong(self, path: Path) -> bool:
        """Whether there is an error at this place, above it or under it."""
        above = any(path[:size] in self._wrong for size in range(1, len(path) + 1))
        return above or any(wrong[: len(path)] == path for wrong in self._wrong if path)

    def secret(self, start: int, end: int, path: Path, message: str) -> None:
        """A value that must not be repeated: no later check says anything about this place or what holds it."""
        self._wrong.add(path)
        self.error_at(start, end, path, message)

    def count(self) -> int:
        """How many problems there are so far."""
        return len(self._problems)

    def has_errors(self) -> bool:
        """Whether an error was found so far."""
        return any(problem.severity is Severity.ERROR for problem in self._problems)

    def sorted(self) -> tuple[Problem, ...]:
        """All problems in the order of the text."""
        return tuple(sorted(self._problems, key=lambda problem: (problem.line, problem.column)))

    def _add(self, severity: Severity, node: Node, message: str, fix: Fix | None) -> None:
        end = _shown_end(node, self.lines.text)
        self._problems.append(self.lines.problem(severity, node.start, end, path=node.path, message=message, fix=fix))


def _shown_end(node: Node, text: str) -> int:
    if isinstance(node, ScalarNode) and node.style in ("|", ">"):
        return node.start + 1
    first_line = text[node.start : node.end].split("\n", 1)[0].rstrip()
    return node.start + len(first_line)
