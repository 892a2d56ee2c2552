"""Where a template names a variable or a state of its agent, as spans of its text (code points)."""

from collections.abc import Iterator

from runtime.domain.template import Template
from runtime.domain.template_node import Both, Choice, Condition, Constant, Lookup, Loop, Not, Piece, Same

type Span = tuple[int, int]


def variable_spans(template: Template, name: str) -> Iterator[Span]:
    """Each `amount` of `vars.amount`."""
    for lookup in template.placeholders:
        if lookup.path[:2] == ("vars", name):
            start = lookup.start + len("vars.")
            yield start, start + len(name)


def state_spans(template: Template, name: str) -> Iterator[Span]:
    """Each text that the state is compared with, quotes left out: `open` of `{% if state == "open" %}`."""
    for one in _comparisons(template.pieces):
        for side, other in ((one.left, one.right), (one.right, one.left)):
            is_state = isinstance(side, Lookup) and side.path == ("state",)
            if is_state and isinstance(other, Constant) and other.value == name:
                yield other.start + 1, other.end - 1


def _comparisons(pieces: tuple[Piece, ...]) -> Iterator[Same]:
    for piece in pieces:
        match piece:
            case Choice(branches):
                for condition, inner in branches:
                    yield from _compared(condition)
                    yield from _comparisons(inner)
            case Loop(body=inner):
                yield from _comparisons(inner)


def _compared(condition: Condition | None) -> Iterator[Same]:
    match condition:
        case Same():
            yield condition
        case Not(part):
            yield from _compared(part)
        case Both(parts):
            for part in parts:
                yield from _compared(part)
