"""Places in a text: `{name}` for an argument, `{secret:NAME}` for a secret. Nothing else in braces is one."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

SECRET, ARGUMENT = "secret", "argument"
PLACE = re.compile(r"\{(?:(secret):)?([A-Za-z_][A-Za-z0-9_.-]{0,99})\}")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One place. `kind`: argument or secret."""

    kind: str
    name: str


class Missing(Exception):
    """An argument that was not given stands in this text, so that the text is left out."""


def placeholders(text: str) -> tuple[Placeholder, ...]:
    """The places of a text, in order."""
    return tuple(Placeholder(found[1] or ARGUMENT, found[2]) for found in PLACE.finditer(text))


def filled(
    text: str, args: Mapping[str, Any], secrets: Mapping[str, str], encode: Callable[[str], str] = lambda value: value
) -> str:
    """The text with every place filled, each value passed through `encode`. Raises Missing."""

    def value(found: re.Match[str]) -> str:
        if found[1]:
            return encode(secrets[found[2]])
        if args.get(found[2]) is None:
            raise Missing
        return encode(as_text(args[found[2]]))

    return PLACE.sub(value, text)


def as_text(value: Any) -> str:
    """A value as it stands in a URL or a header: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
