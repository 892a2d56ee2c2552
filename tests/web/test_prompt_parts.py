"""The request of a step in parts: what is new, what is the template's, and what is nobody's to see."""

from typing import Any

from runtime.domain.context import Prompt
from runtime.domain.events import StepStarted
from studio.queries.prompts import StepPrompt
from studio.web.prompt_parts import changes_of, parts_of

SYSTEM = {"role": "system", "content": "Be brief."}
HELLO = {"role": "user", "content": "Hello"}
ANSWER = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "0.0", "name": "look", "arguments": "{}"}],
    "opaque": {"signature": "secret of the provider"},
    "family": "claude",
}
RESULT = {"role": "tool", "tool_call_id": "0.0", "content": "nine"}
TAIL = {"role": "user", "content": "Today is Sunday."}


def request(step: int, *messages: dict[str, Any], tail: int = 0, recorded: str = "a", **changes: Any) -> StepPrompt:
    prompt = Prompt(
        model=changes.get("model", "m"),
        messages=messages,
        tools=(),
        settings={},
        withhold_tools=changes.get("withhold_tools", False),
        sha256="a",
    )
    started = StepStarted(model="m", seen=1, prompt_sha256=recorded)
    return StepPrompt(step, 2, started, prompt, tail)


FIRST = request(0, SYSTEM, HELLO, TAIL, tail=1)
SECOND = request(1, SYSTEM, HELLO, ANSWER, RESULT, TAIL, tail=1)


def test_what_the_step_before_had_not_is_marked_as_new():
    parts = parts_of(SECOND, FIRST)

    assert [message.text for message in parts.system] == ["Be brief."]
    assert [message.is_new for message in parts.history] == [False, True, True]
    assert [message.text for message in parts.tail] == ["Today is Sunday."]
    assert parts.news == "2 new since llm_0"


def test_the_first_request_has_nothing_new():
    assert parts_of(FIRST, None).news == ""


def test_an_answer_of_a_tool_is_named_after_the_tool():
    assert parts_of(SECOND, FIRST).history[2].label == "look answered"


def test_what_only_the_provider_may_read_is_not_in_the_messages():
    assert all(not {"opaque", "family"} & message.keys() for message in SECOND.messages)
    assert "secret of the provider" not in str(SECOND.messages)


def test_changes_are_what_left_and_what_came():
    changes = changes_of(SECOND, FIRST)

    assert changes.same == 2
    assert [(change.is_added, change.message.text) for change in changes.changes] == [
        (False, "Today is Sunday."),
        (True, ""),
        (True, "nine"),
        (True, "Today is Sunday."),
    ]


def test_another_model_and_withheld_tools_are_said():
    other = request(1, SYSTEM, HELLO, model="n", withhold_tools=True)

    assert changes_of(other, FIRST).others == ["The model is n; it was m.", "Tools were withheld."]


def test_a_request_is_the_recorded_one_only_by_its_hash():
    assert request(0, recorded="a").matches
    assert not request(0, recorded="b").matches
