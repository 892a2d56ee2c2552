"""Arithmetic is exact, bounded, and never Python."""

import contextlib
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.ports import ToolFailed
from runtime.tools.calculator import calculated
from tests.tools.calling import Desk


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("189.00 * 0.4", "75.600"),
        ("0.1 + 0.2", "0.3"),
        ("2 ** 3 ** 2", "512"),
        ("-2 ** 2", "-4"),
        ("2 * -3", "-6"),
        ("(1 + 2) * 3 - 4 / 8", "8.5"),
        ("-7 % 3", "2"),
        ("7 // 2", "3"),
        ("round(100 / 3, 2)", "33.33"),
        ("round(2.5)", "3"),
        ("max(1, 2, 3) - min(4, 5)", "-1"),
        ("sqrt(16) + abs(-2) + floor(1.9) + ceil(1.1)", "9"),
        ("10 ^ 3", "1000"),
        ("1e3 + .5", "1000.5"),
        ("99999999999999999999 * 99999999999999999999", "9999999999999999999800000000000000000001"),
    ],
)
def test_the_value_is_exact(expression: str, value: str):
    assert calculated(expression) == value


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("1 / 0", "divides by zero"),
        ("9 ** 9 ** 9", "the exponent is larger than 1000"),
        ("exp(exp(exp(9)))", "too large"),
        ("__import__('os')", "is not part of an expression"),
        ("open(1)", "'open' is not expected here; known names: abs"),
        ("().__class__", "'.' is not part of an expression"),
        ("1 +", "the expression ends too early"),
        ("1 2", "'2' is not expected here"),
        ("(" * 100 + "1" + ")" * 100, "nested more than 40 deep"),
        ("-" * 300 + "1", "nested more than 40 deep"),
        ("sqrt(1, 2)", "sqrt does not take 2 numbers"),
        ("round(1, 0.5)", "round takes a whole number of places"),
        ("1,5", "',' is not expected here"),
        ("\ud800", "is not part of an expression"),
    ],
)
def test_what_cannot_be_calculated_is_said_in_words(expression: str, sentence: str):
    with pytest.raises(ToolFailed) as failed:
        calculated(expression)

    assert sentence in failed.value.sentence
    assert not failed.value.retryable


@settings(deadline=None)
@given(st.text(alphabet="0123456789.eE+-*/%^(), sqrtmaxlnpi", max_size=500))
def test_any_text_ends_in_a_number_or_a_sentence(expression: str):
    with contextlib.suppress(ToolFailed):
        assert Decimal(calculated(expression)).is_finite()


async def test_the_tool_calculates(desk: Desk):
    assert await desk.call("calculate", expression="60 + 15") == "75"
