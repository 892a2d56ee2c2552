"""A template shows plain data and nothing else; what it cannot show is a problem with a place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.domain.template import ALWAYS_KNOWN, compile_template, placeholder_problems
from runtime.domain.template_render import CUT_MARK, LOOP_ROUNDS, OUTPUT_CHARACTERS

VALUES = {
    "state": "open",
    "now": "2026-03-01T09:30:00+01:00",
    "user": {"name": "Maya"},
    "memory": {"language": "Korean", "orders.last": "A-17", "names": ["Ann", "Bo"], "empty": ""},
    "vars": {"amount": 60, "paid": False, "order": {"id": "A-17"}},
    "input": None,
}


def rendered(text: str) -> str:
    template = compile_template(text)
    assert template.problems == ()
    return template.render(VALUES)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("State: {{ state }}.", "State: open."),
        ("{{state}}{{ user.name }}", "openMaya"),
        ("{{ vars.amount }} {{ vars.paid }} [{{ input }}] [{{ missing.name }}]", "60 false [] []"),
        ("{{ memory.orders.last }}", "A-17"),
        ("{{ vars.order }}", '{"id": "A-17"}'),
        ("{{ memory.names | json }}", '["Ann", "Bo"]'),
        ("{{ now | date }}", "2026-03-01"),
        ("{% if memory.language %}Answer in {{ memory.language }}.{% endif %}", "Answer in Korean."),
        ("{% if memory.empty %}a{% elif vars.amount == 60 %}b{% else %}c{% endif %}", "b"),
        ("{% if not vars.paid and state != 'shut' %}due{% endif %}", "due"),
        ("{% if vars.paid or state == \"open\" %}yes{% endif %}", "yes"),
        ("{% for name in memory.names %}{{ name }};{% endfor %}", "Ann;Bo;"),
        ("{% for a in memory.names %}{% for b in memory.names %}{{ a }}{{ b }} {% endfor %}{% endfor %}",
         "AnnAnn AnnBo BoAnn BoBo "),
        ('{"order": {"id": 1}}', '{"order": {"id": 1}}'),
        ('{"state": {"now": "{{ state }}"}}', '{"state": {"now": "open"}}'),
        ("50 % {not} %(user)s ${state} #{x}", "50 % {not} %(user)s ${state} #{x}"),
    ],
)  # fmt: skip
def test_a_template_shows_plain_data(text, shown):
    assert rendered(text) == shown


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("a {{ 7*7 }}", "{{ 7*7 }}"),
        ("{{ state() }}", "{{ state() }}"),
        ("{{ state[0] }}", "{{ state[0] }}"),
        ("{{ user.__class__ }}", "{{ user.__class__ }}"),
        ("{{ state | upper }}", "{{ state | upper }}"),
        ("{{ }}", "{{ }}"),
        ("{{ state", "{{"),
        ("{% load x %}", "{% load x %}"),
        ("{% if state %}", "{% if state %}"),
        ("{% endfor %}", "{% endfor %}"),
        ("{% for x in range(9) %}{% endfor %}", "{% for x in range(9) %}"),
        ("{% if state %}{% else %}{% else %}{% endif %}", "{% else %}"),
    ],
)
def test_what_is_not_understood_is_a_problem_and_stays_as_written(text, at):
    template = compile_template(text)

    assert [text[problem.start : problem.end] for problem in template.problems][:1] == [at]
    assert "49" not in template.render(VALUES)


def test_a_placeholder_that_does_not_exist_is_named_with_the_nearest_one():
    template = compile_template("{{ stat }} {{ vars.amount }} {{ memory.x }} {{ memory }}")

    problems = list(placeholder_problems(template, (*ALWAYS_KNOWN, "vars.amount")))

    assert [problem.message.split(".")[0] for problem in problems] == [
        "There is no placeholder `stat`",
        "There is no placeholder `memory`",
    ]
    assert "Did you mean `state`?" in problems[0].message


def test_the_name_of_a_loop_is_a_placeholder_inside_it_only():
    template = compile_template("{% for n in memory.names %}{{ n.x }}{% endfor %}{{ n }}")

    assert [".".join(lookup.path) for lookup in template.placeholders] == ["memory.names", "n"]


def test_values_are_never_read_as_templates():
    template = compile_template("{{ state }}")

    assert template.render({"state": "{{ user.name }}{% if x %}"}) == "{{ user.name }}{% if x %}"


def test_attributes_are_never_looked_up():
    class Holder:
        secret = "hunter2"

    assert compile_template("{{ state.secret }}{{ state }}").render({"state": Holder()}) == ""


def test_a_long_output_is_cut_and_says_so():
    shown = compile_template("{{ state }}" * 3).render({"state": "x" * OUTPUT_CHARACTERS})

    assert shown == "x" * OUTPUT_CHARACTERS + CUT_MARK


def test_loops_end_after_a_thousand_rounds_together():
    text = "{% for a in input %}{% for b in input %}{% for c in input %}x{% endfor %}{% endfor %}{% endfor %}"

    shown = compile_template(text).render({"input": list(range(10_000))})

    assert shown.endswith(CUT_MARK)
    assert shown.count("x") < LOOP_ROUNDS + CUT_MARK.count("x")


@given(st.text(alphabet="{}% abifndorels._|=!'\"\n1", max_size=80))
def test_no_text_makes_the_template_raise(text):
    compile_template(text).render({"a": {"b": [1, "x"]}, "i": "y"})


@given(st.text(alphabet="abc\n \\\"'{:}% ", max_size=60).filter(lambda text: "{{" not in text and "{%" not in text))
def test_text_without_tags_is_shown_as_it_is(text):
    assert compile_template(text).render({}) == text
