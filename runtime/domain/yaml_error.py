"""What a YAML parser's error means, in words for a person who never read the YAML specification."""

import re

import yaml

from runtime.domain.problem import Fix, Problem, Severity
from runtime.domain.text_lines import TextLines

_TAB_INDENT = re.compile(r" *\t[ \t]*(?=\S)")
_AT_THE_BEGINNING = ("found unexpected end of stream", "could not find expected ':'")  # to mend where it began
_SENTENCES = {
    "mapping values are not allowed": "A colon stands where no key can be. Put the text in quotes, or mend the indent.",
    "could not find expected ':'": "A key here has no colon behind it. Write `key: value`, or indent the line.",
    "did not find expected key": "This line does not fit those above it. Mend its indent, or a quote above.",
    "did not find expected '-' indicator": "This line does not fit the list above it. Begin it with `- `.",
    "did not find expected ',' or ']'": "A list in brackets is not closed. Add a comma or `]`.",
    "did not find expected ',' or '}'": "A mapping in braces is not closed. Add a comma or `}`.",
    "did not find expected node content": "A value is missing here, or a bracket is not closed. Write or close it.",
    "found unexpected end of stream": "A quote that begins here is never closed. Close it.",
    "found unknown escape character": "This backslash begins no known escape. Write `\\\\`, or use single quotes.",
    "found invalid Unicode character escape code": "This escape names no character. Write the character itself.",
    "block sequence entries are not allowed": "A list item begins where none can be. Put it on its own line.",
    "did not find expected <document start>": "The text goes on where it should end. Mend the indent of this line.",
    "found a tab character": "Line {line} is indented with a tab. Use spaces.",
}


def explain_yaml_error(error: Exception, lines: TextLines, offset: int) -> Problem:
    """The problem for an error of the parser, at the place it names; marks count from `offset`."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        problem, mark = error.problem or "", error.problem_mark
        if problem.startswith(_AT_THE_BEGINNING) and error.context_mark is not None:
            mark = error.context_mark
        index = min(mark.index + offset, len(lines.text.rstrip()))  # not an empty line at the end
        return _at(problem, index, lines)
    if isinstance(error, RecursionError):
        return lines.problem(Severity.ERROR, 0, 0, path=(), message="The file is nested too deeply. Flatten it.")
    return lines.problem(
        Severity.ERROR, 0, 0, path=(), message="The file cannot be read as YAML. Check its characters."
    )


def _at(problem: str, index: int, lines: TextLines) -> Problem:
    start = lines.line_start(index)
    tab = _TAB_INDENT.match(lines.text, start)
    if tab is not None:
        line = lines.place(start)[0]
        sentence = f"Line {line} is indented with a tab. Use spaces."
        fix = Fix("Use spaces", start, tab.end(), tab[0].replace("\t", "  "))
        return lines.problem(Severity.ERROR, start, tab.end(), path=(), message=sentence, fix=fix)
    return lines.problem(Severity.ERROR, index, index + 1, path=(), message=_sentence(problem, index, lines))


def _sentence(problem: str, index: int, lines: TextLines) -> str:
    for beginning, sentence in _SENTENCES.items():
        if problem.startswith(beginning):
            return sentence.replace("{line}", str(lines.place(index)[0]))
    character = lines.text[index : index + 1]
    if "cannot start any token" in problem and character:
        return f"A value cannot begin with `{character}`. Put it in quotes."
    return f"This cannot be read as YAML ({problem}). Mend it, or put the value in quotes."
