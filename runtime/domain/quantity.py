"""The number and time types of an agent file: strict, so that text never counts as a number."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, Strict

_DURATION = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)\s*(s|m|h|d|w)?")
_TURNS = re.compile(r"([0-9]{1,6}) turns?")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def read_seconds(value: Any) -> Any:
    """Seconds from a number or from a text such as `30s`, `15m`, `24h`, `7d`.

    Raises ValueError for a text that is no time.
    """
    if not isinstance(value, str):
        return value
    match = _DURATION.fullmatch(value.strip())
    if match is None:
        raise ValueError("a time such as 30s, 15m, 24h or 7d is wanted")
    return float(match[1]) * _SECONDS[match[2] or "s"]


def read_turns(value: Any) -> Any:
    """A number of turns from `20 turns` or 20."""
    match = _TURNS.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(match[1]) if match else value


type Whole = Annotated[int, Strict()]
type Positive = Annotated[int, Strict(), Field(ge=1, le=1_000_000_000)]
type NotNegative = Annotated[int, Strict(), Field(ge=0, le=1_000_000_000)]
type Share = Annotated[float, Strict(), Field(gt=0, le=1)]
type Number = Annotated[float, Strict()]
type Money = Annotated[float, Strict(), Field(gt=0, le=1_000_000)]
type Switch = Annotated[bool, Strict()]
type Seconds = Annotated[float, Strict(), Field(gt=0, le=366 * 86_400), BeforeValidator(read_seconds)]
type Turns = Annotated[int, Strict(), Field(ge=1, le=10_000), BeforeValidator(read_turns)]
type Name = Annotated[str, Field(min_length=1, max_length=200)]
