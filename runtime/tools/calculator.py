"""Arithmetic with exact decimals. A small parser of its own: nothing is evaluated as Python."""

import re
from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal, DecimalException, localcontext
from typing import Annotated

from pydantic import Field

from runtime.ports import ToolContext, ToolFailed
from runtime.tools.declaration import tool

_DIGITS = 50
_DEEPEST = 40
_LARGEST_EXPONENT = 1000
_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d{1,4})?|\.\d+)|(\*\*|//|[-+*/%^(),])|([A-Za-z_][A-Za-z_0-9]*))")
_POWER = 4
_LEFT_BINDING: Mapping[str, int] = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2, "**": _POWER, "^": _POWER}
_NAMES: Mapping[str, Decimal] = {
    "pi": Decimal("3.14159265358979323846264338327950288419716939937511"),
    "e": Decimal("2.71828182845904523536028747135266249775724709369996"),
}


@tool(group="calculator")
async def calculate(context: ToolContext, expression: Annotated[str, Field(min_length=1, max_length=500)]) -> str:
    """Calculate an arithmetic expression exactly, such as 189.00 * 0.4 or round(100 / 3, 2).

    Args:
        expression: Numbers with + - * / // % ** and brackets; sqrt abs min max round floor ceil ln log10 exp pi.
    """
    return calculated(expression)


def calculated(expression: str) -> str:
    """The value as a plain decimal number of at most 50 digits. Raises ToolFailed."""
    with localcontext(Context(prec=_DIGITS, Emax=5000, Emin=-5000)):
        try:
            return _written(_Parser(expression).value())
        except ZeroDivisionError:
            raise ToolFailed("this divides by zero", retryable=False) from None
        except DecimalException:
            raise ToolFailed("the result is too large, or is no number", retryable=False) from None


class _Parser:
    """Reads an expression from left to right and calculates on the way (precedence climbing)."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._next, self._depth = 0, 0

    def value(self) -> Decimal:
        result = self._expression(1)
        if self._peek():
            raise self._unexpected()
        return result

    def _expression(self, least: int) -> Decimal:
        left = self._operand()
        while (binding := _LEFT_BINDING.get(self._peek(), 0)) >= least:
            operator = self._take()
            right = self._expression(binding if binding == _POWER else binding + 1)
            left = _applied(operator, left, right)
        return left

    def _operand(self) -> Decimal:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ToolFailed(f"this is nested more than {_DEEPEST} deep; calculate it in parts", retryable=False)
        try:
            token = self._take()
            if token in ("-", "+"):
                value = self._expression(_POWER)
                return -value if token == "-" else value
            if token == "(":
                value = self._expression(1)
                self._expect(")")
                return value
            if token[:1].isdigit() or token[:1] == ".":
                return Decimal(token)
            return self._named(token)
        finally:
            self._depth -= 1

    def _named(self, name: str) -> Decimal:
        if name.lower() in _NAMES:
            return _NAMES[name.lower()]
        function = _FUNCTIONS.get(name.lower())
        if function is None:
            raise self._unexpected(name)
        self._expect("(")
        arguments = [self._expression(1)]
        while self._peek() == ",":
            self._take()
            arguments.append(self._expression(1))
        self._expect(")")
        try:
            return function(*arguments)
        except TypeError:
            raise ToolFailed(f"{name} does not take {len(arguments)} numbers", retryable=False) from None

    def _peek(self) -> str:
        return self._tokens[self._next] if self._next < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        self._next += 1
        return token

    def _expect(self, token: str) -> None:
        if self._peek() != token:
            raise self._unexpected()
        self._take()

    def _unexpected(self, token: str | None = None) -> ToolFailed:
        found = self._peek() if token is None else token
        if not found:
            return ToolFailed("the expression ends too early; a number or a bracket is missing", retryable=False)
        known = ", ".join(sorted({*_FUNCTIONS, *_NAMES}))
        hint = f"; known names: {known}" if found[0].isalpha() else ""
        return ToolFailed(f"{found!r} is not expected here{hint}", retryable=False)


def _tokens(text: str) -> list[str]:
    tokens, position, text = [], 0, text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ToolFailed(f"{text[position:].lstrip()[0]!r} is not part of an expression", retryable=False)
        tokens.append(match.group(match.lastindex or 0))
        position = match.end()
    return tokens


def _applied(operator: str, left: Decimal, right: Decimal) -> Decimal:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case "//":
            return (left / right).to_integral_value(ROUND_FLOOR)
        case "%":
            return left - right * (left / right).to_integral_value(ROUND_FLOOR)
        case _:
            return _raised(left, right)


def _raised(base: Decimal, exponent: Decimal) -> Decimal:
    if abs(exponent) > _LARGEST_EXPONENT:
        raise ToolFailed(f"the exponent is larger than {_LARGEST_EXPONENT}", retryable=False)
    return Decimal(1) if base == 0 and exponent == 0 else base**exponent


def _rounded(value: Decimal, places: Decimal = Decimal(0)) -> Decimal:
    if places != places.to_integral_value() or abs(places) > _DIGITS:
        raise ToolFailed("round takes a whole number of places", retryable=False)
    return value.quantize(Decimal(1).scaleb(-int(places)), ROUND_HALF_UP)


_FUNCTIONS: Mapping[str, Callable[..., Decimal]] = {
    "sqrt": lambda value: value.sqrt(),
    "abs": lambda value: abs(value),
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "round": _rounded,
    "floor": lambda value: value.to_integral_value(ROUND_FLOOR),
    "ceil": lambda value: value.to_integral_value(ROUND_CEILING),
    "ln": lambda value: value.ln(),
    "log10": lambda value: value.log10(),
    "exp": lambda value: value.exp(),
}


def _written(value: Decimal) -> str:
    if value.is_nan() or value.is_infinite():
        raise ToolFailed("the result is no number", retryable=False)
    return f"{value:f}" if abs(value.adjusted()) <= _DIGITS else f"{value.normalize():E}"
