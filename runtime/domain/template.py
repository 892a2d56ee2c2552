"""The user prompt template: text with placeholders over plain data. Nothing is called, loaded or computed.

`{{ a.b }}`, `{{ a.b | date }}`, `{% if a and not b %}{% elif a == "x" %}{% else %}{% endif %}`, and
`{% for x in a %}{% endfor %}`.
Lookups go through mappings only, never through attributes; single braces, as in JSON, are text.
Source: runtime.md, 8; security.md, law 1.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from runtime.domain.spelling import did_you_mean
from runtime.domain.template_node import Lookup, Piece
from runtime.domain.template_render import render_pieces
from runtime.domain.template_text import TemplateProblem, TemplateReader

ALWAYS_KNOWN = ("state", "shared.*", "memory.*", "user.name", "input", "input.*", "plan", "now")


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled template. `problems` and `placeholders` say where they stand in the template's text (code points).

    `placeholders` leaves out the names that a loop gives.
    """

    pieces: tuple[Piece, ...]
    problems: tuple[TemplateProblem, ...]
    placeholders: tuple[Lookup, ...]

    def render(self, values: Mapping[str, object]) -> str:
        """The text with its placeholders filled from plain data; what is missing or None is left empty.

        At most 64 KiB and 1,000 rounds of its loops: a longer text is cut and says so.
        """
        return render_pieces(self.pieces, values)


def compile_template(text: str) -> Template:
    """The template of a text. Never raises: what is wrong is in `problems`, and stays as written in the text."""
    reader = TemplateReader(text)
    pieces = reader.read()
    problems = sorted(reader.problems, key=lambda problem: problem.start)
    return Template(pieces, tuple(problems), tuple(reader.placeholders))


def placeholder_problems(template: Template, allowed: Iterable[str]) -> Iterator[TemplateProblem]:
    """A problem for each placeholder that is not allowed. `memory.*` allows everything under `memory`, not itself."""
    names = tuple(allowed)
    for lookup in template.placeholders:
        name = ".".join(lookup.path)
        if not any(_matches(name, pattern) for pattern in names):
            meant = did_you_mean(name, [n for n in names if not n.endswith("*")]) or _offer(names)
            yield TemplateProblem(lookup.start, lookup.end, f"There is no placeholder `{name[:60]}`.{meant}")


def _matches(name: str, pattern: str) -> bool:
    if pattern.endswith(".*"):
        return name.startswith(pattern[:-1])
    return name == pattern


def _offer(names: tuple[str, ...]) -> str:
    return f" Use one of {', '.join(f'`{name}`' for name in names)}."
