"""Arguments that a person wants instead of the model's, checked before they are approved."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from runtime.tools.arguments import problem_with
from studio.errors import NotFitting, Refused
from studio.queries.questions import Question
from studio.services.content import MAX_SHORT_BYTES, fit_text
from studio.services.rollout_agent import agent_of


def edited_arguments(question: Question, args: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The arguments as edited; None if they are those that are asked about.

    Raises NotFitting (the sentence names the field), Refused, TooLong.
    """
    if args is None or dict(args) == question.args:
        return None
    fit_text(json.dumps(dict(args), ensure_ascii=False), "The arguments", MAX_SHORT_BYTES)
    for text in _texts(args):  # in JSON a NUL is hidden behind its escape
        fit_text(text, "One of the arguments", MAX_SHORT_BYTES)
    spec = agent_of(question.rollout).any_tool(question.tool)
    if spec is None:
        raise Refused(f"The tool {question.tool} is not there any more, so its arguments cannot be edited.")
    problem = problem_with(spec.schema, args)
    if problem is not None:
        raise NotFitting(f"These arguments do not fit {question.tool}: {problem}.")
    return dict(args)


def _texts(value: Any) -> Iterator[str]:
    """Every text in it, names included."""
    match value:
        case str():
            yield value
        case Mapping():
            for name, item in value.items():
                yield from (name, *_texts(item))
        case list():
            for item in value:
                yield from _texts(item)
