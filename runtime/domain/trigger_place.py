"""Places in the body of a trigger, such as `body.customer.id`: which event, whose session, which person."""

import json
import re
from collections.abc import Mapping
from typing import Any

PLACE = re.compile(r"body(\.[A-Za-z0-9_-]{1,100}){1,8}")


def is_place(text: str) -> bool:
    """Whether the text names a place in a body."""
    return PLACE.fullmatch(text) is not None


def value_at(body: Any, place: str) -> str:
    """What stands there as text; empty if nothing does, or something that is no text, number, true or false."""
    found = body
    for name in place.split(".")[1:]:
        if not isinstance(found, Mapping) or name not in found:
            return ""
        found = found[name]
    if isinstance(found, str):
        return found
    return json.dumps(found) if isinstance(found, bool | int | float) else ""
