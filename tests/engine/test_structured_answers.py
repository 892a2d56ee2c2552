"""`output_schema`: the final answer is JSON that fits; what does not is asked for again, at most twice."""

import pytest

from runtime.domain.events import START, FormAnswer, UserInput, UserInterrupt
from runtime.engine.shell import Shell
from runtime.tools.arguments import problem_with
from tests.builders import ScriptedModel, start_rollout, tool

SCHEMA = {
    "type": "object",
    "properties": {"amount": {"type": "number"}, "why": {"type": "string"}},
    "required": ["amount"],
    "additionalProperties": False,
}


@pytest.fixture
async def asked(model: ScriptedModel):
    """A rollout whose answers have a form, checked as in the studio."""
    look = tool("look")
    rollout = await start_rollout(model, look, output_schema=SCHEMA)
    shell: Shell = rollout.manager._shell
    object.__setattr__(shell, "check", problem_with)
    yield rollout
    await rollout.manager.stop()


def outputs(rollout):
    return [(one.structured, one.problem, one.content) for one in rollout.payloads("agent.output")]


async def test_an_answer_that_fits_is_taken_at_once(asked, model):
    model.says('{"amount": 60}')

    await asked.receive(UserInput(content="how much?"))

    assert outputs(asked) == [(True, "", '{"amount": 60}')]
    assert '"amount"' in model.requests[0].messages[0]["content"]


async def test_the_fence_around_json_is_taken_off(asked, model):
    model.says('```json\n{"amount": 60}\n```')

    await asked.receive(UserInput(content="how much?"))

    assert outputs(asked) == [(True, "", '{"amount": 60}')]


async def test_the_model_is_told_in_words_which_field_is_wrong(asked, model):
    model.says('{"amount": "sixty"}')
    model.says('{"amount": 60}')

    await asked.receive(UserInput(content="how much?"))

    assert [structured for structured, _, _ in outputs(asked)] == [False, True]
    told = model.requests[1].messages[-1]["content"]
    assert "`amount` must be a number" in told
    assert model.requests[1].messages[-2]["content"] == '{"amount": "sixty"}'


async def test_after_two_corrections_the_failure_is_reported(asked, model):
    for _ in range(5):
        model.says("about sixty")

    await asked.receive(UserInput(content="how much?"))

    assert len(model.requests) == 3
    assert [problem for _, problem, _ in outputs(asked)] == ["it is no JSON"] * 3 + [""]
    assert "There is no answer: the model was asked 3 times" in outputs(asked)[-1][2]
    assert asked.lifecycle == "waiting (input)"


async def test_the_next_message_is_answered_with_corrections_of_its_own(asked, model):
    for _ in range(3):
        model.says("about sixty")
    await asked.receive(UserInput(content="how much?"))
    model.says("no")
    model.says('{"amount": 1}')

    await asked.receive(UserInput(content="and now?"))

    assert outputs(asked)[-1] == (True, "", '{"amount": 1}')


async def test_words_beside_calls_and_the_account_after_a_stop_need_no_form(asked, model):
    model.calls(("look", {"x": "1"}), text="let me see")
    model.says("half", hold_after=1)
    await asked.post(UserInput(content="how much?"))
    await model.holding()
    model.says("I stopped.")

    await asked.receive(UserInterrupt(name="Maya"))

    assert [problem for _, problem, _ in outputs(asked)] == ["", "", ""]
    assert outputs(asked)[-1][2] == "I stopped."


async def test_the_object_that_a_session_began_with_is_the_input_of_the_template(start, model):
    rollout = await start(user_prompt_template="Order {{ input.order_id }}")

    await rollout.receive(
        UserInput(content="order_id: 48213", form=FormAnswer(name=START, values={"order_id": "48213"}))
    )

    assert model.requests[0].messages[-1]["content"] == "Order 48213"
    assert '{"order_id":"48213"}' in model.requests[0].messages[-2]["content"]
