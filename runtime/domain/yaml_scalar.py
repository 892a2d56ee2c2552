"""What a plain YAML scalar means by the core schema of YAML 1.2: `on`, `no`, dates and versions are text."""

import math
import re

from runtime.domain.yaml_node import ScalarValue

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_JSON_NOT_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})
_INTEGER_CAP = 2**63  # what a database column and a JSON reader can hold
_DIGITS_CAP = 30  # int() of thousands of digits is slow, then an error


class NumberOutOfRange(Exception):
    """A number that no field can hold: too large, infinite, or not a number."""


def core_value(text: str) -> ScalarValue:
    """The value of a plain scalar.

    Raises NumberOutOfRange for integers beyond 64 bits and for floats that are not finite.
    """
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if text[0] not in "+-.0123456789":
        return text
    return _number(text)


def is_json_not_finite(text: str) -> bool:
    """Whether a bare word is one of those that careless JSON writers put where a number should stand."""
    return text in _JSON_NOT_FINITE


def _number(text: str) -> ScalarValue:
    if _OCTAL.fullmatch(text):
        return _integer(text[2:], 8)
    if _HEXADECIMAL.fullmatch(text):
        return _integer(text[2:], 16)
    if _INTEGER.fullmatch(text):
        return _integer(text, 10)
    if _NOT_FINITE.fullmatch(text):
        raise NumberOutOfRange
    if not _FLOAT.fullmatch(text):
        return text
    value = float(text)
    if not math.isfinite(value):
        raise NumberOutOfRange
    return value


def _integer(digits: str, base: int) -> int:
    significant = digits.lstrip("+-").lstrip("0")
    if len(significant) > _DIGITS_CAP * (1 if base == 10 else 3):
        raise NumberOutOfRange
    value = int(digits, base)
    if not -_INTEGER_CAP <= value < _INTEGER_CAP:
        raise NumberOutOfRange
    return value
