"""Answers that must be JSON of a given form (`output_schema`): read, checked, and asked for again in words. Pure."""

import json
from typing import Any

from runtime.domain.agent import Agent
from runtime.domain.arguments import canonical
from runtime.domain.events import AgentOutput, StepCompleted
from runtime.domain.judging import Judging
from runtime.domain.trajectory import AGENT, SYSTEM, Draft

CORRECTIONS = 2
"""How often an answer that does not fit is asked for again."""


def schema_words(agent: Agent) -> str:
    """What the system prompt says of the form of the answer; empty if any text will do."""
    if agent.output_schema is None:
        return ""
    return (
        "Your final answer must be one JSON value that fits this JSON Schema, with nothing before or behind it:\n"
        + canonical(agent.output_schema)
    )


def structured_outputs(text: str, to: str, number: int, completed: StepCompleted, judging: Judging) -> list[Draft]:
    """The final answer as it is recorded: as JSON that fits, or with what is wrong with it.

    After the last correction the failure is said in place of an answer.
    """
    schema = judging.agent.output_schema
    assert schema is not None
    written = _unfenced(text)
    problem = _problem(written, completed, judging)
    if not problem:
        return [Draft(AgentOutput(content=written, to=to, structured=True), AGENT, number)]
    drafts = [Draft(AgentOutput(content=text, to=to, problem=problem), AGENT, number)]
    if judging.state.corrections >= CORRECTIONS:
        words = (
            f"There is no answer: the model was asked {CORRECTIONS + 1} times, and what it gave does not have the form "
            f"that was asked for ({problem}). Send a message to go on, or ask the agent's author to look at its schema."
        )
        drafts.append(Draft(AgentOutput(content=words, to=to), SYSTEM, number))
    return drafts


def correction(problem: str) -> str:
    """What the model is told of an answer that does not fit."""
    return f"This answer was not taken: {problem}. Answer again, with nothing but JSON that fits the schema."


def _problem(written: str, completed: StepCompleted, judging: Judging) -> str:
    schema: Any = judging.agent.output_schema
    try:
        value = json.loads(written, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        cut = " and was cut off at its length limit" if completed.finish_reason == "length" else ""
        return f"it is no JSON{cut}"
    if isinstance(value, dict):
        problem = judging.check(schema, value)
    else:
        problem = judging.check(_around(schema), {"answer": value})
    words = (problem or "").replace("the arguments", "the answer").replace("this tool takes", "the answer takes")
    return words.replace("this tool cannot be called: its schema", "`output_schema`").rstrip(".")


def _around(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object that has the value as its one field; what it names under `$defs` stays reachable."""
    named = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {"type": "object", "properties": {"answer": schema}, "required": ["answer"], **named}


def _unfenced(text: str) -> str:
    """The text without the code fence that many models put around JSON."""
    text = text.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        return text[text.index("\n") : -3].strip()
    return text


def _no_constant(name: str) -> None:
    raise ValueError(name)
