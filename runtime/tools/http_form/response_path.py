"""The part of a JSON answer that the model gets: names and numbers, separated by dots."""

import re
from typing import Any

from runtime.ports import ToolFailed
from runtime.tools.http_form.errors import FormRefused

_STEP = re.compile(r"[^.\[\]\s]{1,100}")


def checked_path(path: str) -> tuple[str, ...]:
    """The steps of a path such as `data.orders.0.id`. Raises FormRefused."""
    steps = tuple(path.split(".")) if path else ()
    if not all(_STEP.fullmatch(step) for step in steps):
        raise FormRefused("Write the part of the answer as names with dots between them, such as data.orders.0.id.")
    return steps


def part_of(answer: Any, path: str) -> Any:
    """What the path leads to. Raises ToolFailed that names the step at which there is nothing."""
    here = answer
    for number, step in enumerate(steps := checked_path(path)):
        match here:
            case dict() if step in here:
                here = here[step]
            case list() if step.isascii() and step.isdecimal() and int(step) < len(here):
                here = here[int(step)]
            case _:
                walked = ".".join(steps[: number + 1])
                raise ToolFailed(f"the answer came, and has no `{walked}` in it", retryable=False)
    return here
