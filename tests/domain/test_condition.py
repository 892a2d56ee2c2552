"""Conditions in CEL: guards and approvals."""

import threading
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.domain.condition import Condition, ConditionFailed, condition, problem_with

KNOWN = {"vars": {"order_id", "amount"}, "args": None, "user": {"id", "name"}, "result": None}


@pytest.mark.parametrize("amount", [51, 51.0])
@pytest.mark.parametrize(
    "text",
    [
        "args.amount > 50",
        "args.amount > 0.5",
        "args.amount == 51",
        "args.amount == 51.0",
        "args.amount * 2 > 100",
        "args.amount * 1.5 > 76",
        "args.amount / 2 == 25.5",
        "args.amount % 2 == 1",
        "-args.amount < 0",
        "args.amount in [50, 51]",
        'args.items[1] == 51 && size(args.word) + 1 == 4 && args.word == "abc"',
        "args.items.exists(i, i + 1 > 51.5)",
        "args.items == [7, 51.0]",
        'string(args.amount) == "51"',
    ],
)
def test_whole_and_broken_numbers_mix(text, amount):
    values = {"args": {"amount": amount, "items": [7, amount], "word": "abc"}}

    assert condition(text).holds(values)


def test_large_whole_numbers_stay_exact():
    assert not condition("args.id == 9007199254740993").holds({"args": {"id": 9007199254740992}})
    assert condition("args.id == 9007199254740993").holds({"args": {"id": 9007199254740993}})


def test_division_does_not_depend_on_how_json_wrote_the_number():
    assert condition("args.n / 2 > 1").holds({"args": {"n": 3}})
    assert condition("args.n / 2").value({"args": {"n": 4}}) == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("vars.order_id != ''", "`vars.order_id` has no value"),
        ("vars['order_id'] != ''", "`vars.order_id` has no value"),
        ("nothing > 1", "there is nothing named `nothing` here"),
        ("args.amount > 'a'", "do not go together"),
        ("args.amount", "it must come to true or false, and it is a number"),
        ("args.amount >", "it cannot be read"),
        ("", "it cannot be read"),
        ("args.items[5] == 1", "a list in it is shorter"),
        ("5 % 0 == 1", "divides by zero"),
        ("args.word.size() > 3", "there is nothing named `size`"),
        ("timestamp('2020-01-01T00:00:00Z')", "it must come to true or false"),
        ("double(args.text) > 1", "double"),
    ],
)
def test_what_cannot_be_judged_says_why(text, reason):
    with pytest.raises(ConditionFailed) as raised:
        Condition(text).holds({"vars": {}, "args": {"amount": 5, "items": [], "word": None, "text": "x"}})

    assert reason in str(raised.value)


def test_has_tells_whether_a_variable_is_set():
    known = condition("has(vars.order_id) && vars.order_id != ''")

    assert not known.holds({"vars": {}})
    assert known.holds({"vars": {"order_id": "R-1"}})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("vars.order_idd != ''", "There is no `vars.order_idd`. Did you mean `vars.order_id`?"),
        ("vars['amonut'] > 1", "There is no `vars.amonut`. Did you mean `vars.amount`?"),
        ("varz.amount > 1", "There is nothing named `varz` in a condition. Did you mean `vars`?"),
        ("var.amount > 1", "`var` is a word of the language and names nothing."),
        ("amount > 1", "Known are `args`, `result`, `user`, `vars`."),
        ("args.amount >> 1", "is no condition: it cannot be read at character 14."),
        ("args.items.map(i, i)", "`map` is not available"),
    ],
)
def test_an_author_is_told_what_is_wrong(text, sentence):
    assert sentence in (problem_with(text, KNOWN) or "")


def test_who_names_a_variable_where_there_are_none_is_told_to_add_it():
    said = problem_with("vars.amount > 50", {"vars": []})

    assert said == ("There is no `vars.amount`. Add the variable under `states`, or choose another condition.")


@pytest.mark.parametrize(
    "text",
    [
        "vars.amount > 100 || args.anything.below == 'x'",
        "args.items.all(i, i.price > 0 && i.name != '')",
        'has(vars.amount) && user.name == "vars.nothing"',
        "size(result) > 3 && type(vars.amount) == double",
        'result.contains("ok") || vars.order_id.matches("^R-[0-9]+$")',
        "vars.amount > 1 // args.nothing of the sort",
        "vars.order_id in ['a', 'b'] ? true : false",
    ],
)
def test_right_conditions_have_no_problem(text):
    assert problem_with(text, KNOWN) is None


@pytest.mark.parametrize(
    "text",
    [
        "(" * 400 + "true" + ")" * 400,
        "[[1,2].map(x, x)] == []",
        "args.l.all(a, args.l.all(b, args.l.all(c, true)))",
        "[args.s + args.s].all(x, [x + x].all(y, y != ''))",
        "(args.s + args.s).all(x, x != '')",
        "args.l.filter(a, true).all(b, true)",
        "args.s.matches(args.s)",
        "args.l.exists(a, a.matches('a'))",
        " || ".join(["args.s.matches('((a{100}){100}){10}')"] * 4),
        "true" + " " * 1000,
    ],
)
def test_what_could_take_long_is_refused(text):
    with pytest.raises(ConditionFailed):
        Condition(text).holds({"args": {"l": [1, 2, 3], "s": "aa"}})


def test_too_much_to_look_through_is_refused():
    values = {"args": {"l": ["x"] * 5000}}

    assert condition("args.l.all(a, a == 'x')").holds({"args": {"l": ["x"] * 1000}})
    with pytest.raises(ConditionFailed, match="too much to look through"):
        condition("args.l.all(a, args.l.all(b, a == b))").holds(values)


@given(st.text(max_size=60) | st.text(alphabet="args.l()[]{}'\"&|<>=!+-*/%?:,0123456789 \\ru", max_size=80))
@settings(max_examples=300, deadline=None)
def test_any_text_is_judged_or_refused_in_words(text):
    found = Condition(text)

    with suppress(ConditionFailed):
        found.holds({"args": {"l": [1, "a", None]}})
    problem_with(text, KNOWN)


def test_one_compiled_condition_serves_several_threads():
    found = condition("args.n > 1")
    held: list[bool] = []

    thread = threading.Thread(target=lambda: held.append(found.holds({"args": {"n": 2}})))
    thread.start()
    thread.join()

    assert held == [True]
