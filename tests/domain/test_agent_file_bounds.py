"""A text that was made to cost time costs none."""

import time

import pytest

from runtime.domain.agent_file import read_agent_file
from runtime.domain.template import compile_template

SIZE = 255 * 1024
HEAD = "name: a\nmodel: b\n"


def filled(piece: str, size: int = SIZE) -> str:
    return piece * (size // len(piece.encode()))


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "x-a: " + filled("sk-"),
        HEAD + "x-a: " + filled("eyJ-"),
        HEAD + "x-a: " + filled("eyJaaaaaaaaa."),
        HEAD + "x-a: " + filled("a://b:"),
        HEAD + "x-a: " + filled("Bearer "),
        HEAD + "x-a: " + filled("?key="),
        HEAD + "x-api-key: " + filled("a1"),
        HEAD + "x-a: [" + filled("[],"),
        HEAD + "x-a: [" + filled("a,") + "]",
        HEAD + filled("a: b\n"),
        HEAD + "".join(f"k{number}: 1\n" for number in range(20_000)),
        HEAD + "user_prompt_template: '" + filled("{{") + "'",
        HEAD + "user_prompt_template: '" + filled("{% if a %}") + "'",
        HEAD + "user_prompt_template: '" + filled("{{ x }}") + "'",
        HEAD + 'x-a: "' + filled("\\n") + '"',
        '{"a": "' + filled("\\ud800") + '"}',
        filled("\x01"),
        filled("- "),
        filled("? "),
        filled("\t"),
        filled("&a *a "),
    ],
    ids=lambda text: repr(text[len(HEAD) : len(HEAD) + 24]),
)
def test_a_quarter_of_a_megabyte_of_anything_is_answered_within_two_seconds(text):
    started = time.process_time()

    file = read_agent_file(text)

    assert time.process_time() - started < 2
    assert len(file.problems) < 1000


def test_a_large_template_is_compiled_and_shown_in_time():
    started = time.process_time()

    compile_template(filled("{% for a in input %}{{ a }}{% endfor %}")).render({"input": ["x"] * 1000})

    assert time.process_time() - started < 2
