"""What a session begins with: a text, or what the agent's `input_schema` asks for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.domain.events import START, FormAnswer
from runtime.engine.binding import definition_of
from runtime.tools.arguments import problem_with
from studio.errors import NotFitting
from studio.services.content import fit_text
from studio.services.faults import refusals

type StartInput = str | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Opening:
    """The first message: in words, and with the values of the form that it fills in, if there is one."""

    words: str
    form: FormAnswer | None = None

    @property
    def says_something(self) -> bool:
        return bool(self.words.strip()) or self.form is not None


def input_schema_of(text: str) -> Mapping[str, Any] | None:
    """What the agent of this text asks for at a start; None if it takes any words. Raises a Faulty."""
    with refusals():
        return definition_of(text).input_schema


def opening_of(given: StartInput, text: str) -> Opening:
    """The first message for the agent of this text. Raises NotFitting (the sentence names the field), TooLong."""
    schema = input_schema_of(text)
    if schema is None:
        if isinstance(given, Mapping):
            raise NotFitting("This agent takes its input as a text. Send words in place of an object.")
        return Opening(given)
    is_blank = isinstance(given, str) and not given.strip()
    values = {} if is_blank else _values(given)
    problem = problem_with(schema, values)
    if problem is not None:
        problem = problem.replace("the arguments", "the input").replace("this tool takes", "this agent takes")
        raise NotFitting(f"The input does not fit what this agent asks for: {problem.rstrip('.')}.")
    if is_blank:
        return Opening("")
    fit_text(json.dumps(values, ensure_ascii=False), "The input")
    return Opening(
        ", ".join(f"{name}: {_written(value)}" for name, value in values.items()), FormAnswer(name=START, values=values)
    )


def _values(given: StartInput) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return dict(given)
    try:
        values = json.loads(given)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise NotFitting("This agent begins with a form. Send its input as an object with the fields that it asks for.")
    return values


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
