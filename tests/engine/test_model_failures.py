"""A model that fails: tried again, then the next one, then said in plain words. `failed` is not the end."""

from runtime.domain.events import ResumeReason, RolloutResumed, UserInput, UserInterrupt
from runtime.ports import ModelError
from tests.builders import tool


def overloaded(**properties) -> ModelError:
    return ModelError("The model is overloaded.", kind="overloaded", retryable=True, **properties)


def refused_key() -> ModelError:
    return ModelError("The key was refused.", kind="authentication", retryable=False)


async def test_a_failed_attempt_keeps_its_step_and_is_tried_again(rollout, model):
    model.fails(overloaded())
    model.says("here I am")

    await rollout.receive(UserInput(content="go"))

    started = [e for e in rollout.trajectory() if e.type == "step.started"]
    assert [(e.step, e.payload.attempt) for e in started] == [(0, 1), (0, 2)]
    aborted = rollout.payloads("step.aborted")[0]
    assert aborted.error == "The model is overloaded."
    assert aborted.retry_at > rollout.trajectory()[2].at


async def test_the_next_attempt_is_asked_in_the_very_words_of_the_first(start, model):
    rollout = await start(tool("look"), user_prompt_template="You talk to {{ user.name }}.")
    model.calls(("look", {}))
    model.fails(overloaded())
    model.says("here I am")

    await rollout.receive(UserInput(content="go", name="Maya"))

    assert model.requests[2].messages == model.requests[1].messages
    assert model.requests[1].messages[-1]["content"] == "<context>You talk to Maya.</context>"


async def test_retry_after_is_respected(rollout, model):
    model.fails(overloaded(retry_after_seconds=30))
    rollout.time_passes = False

    await rollout.receive(UserInput(content="go"))

    aborted = next(e for e in rollout.trajectory() if e.type == "step.aborted")
    assert aborted.payload.retry_at - aborted.at >= 29_900_000
    assert rollout.lifecycle == "waiting (model)"


async def test_a_message_during_backoff_joins_the_next_attempt(rollout, model):
    model.fails(overloaded(retry_after_seconds=30))
    rollout.time_passes = False
    await rollout.receive(UserInput(content="go"))
    await rollout.receive(UserInput(content="and this"))
    assert len(model.requests) == 1

    rollout.time_passes = True
    await rollout.rest()

    assert len(model.requests) == 2
    assert "and this" in model.requests[-1].messages[-1]["content"]


async def test_after_four_attempts_the_next_model_is_asked(start, model):
    rollout = await start(fallback_models=("second",))
    for _ in range(4):
        model.fails(overloaded())

    await rollout.receive(UserInput(content="go"))

    assert [request.model for request in model.requests] == ["scripted"] * 4 + ["second"]
    assert rollout.lifecycle == "waiting (input)"


async def test_a_long_retry_after_goes_to_the_next_model_at_once(start, model):
    rollout = await start(fallback_models=("second",))
    model.fails(overloaded(retry_after_seconds=90))

    await rollout.receive(UserInput(content="go"))

    assert [request.model for request in model.requests] == ["scripted", "second"]


async def test_what_cannot_be_retried_fails_in_plain_words(rollout, model):
    model.fails(refused_key())

    await rollout.receive(UserInput(content="go"))

    assert rollout.payloads("rollout.failed")[0].error == "The key was refused."
    assert rollout.lifecycle == "failed"


async def test_the_last_model_gets_a_quarter_of_an_hour(rollout, model):
    for _ in range(60):
        model.fails(overloaded())

    await rollout.receive(UserInput(content="go"))

    assert rollout.lifecycle == "failed"
    attempts = [e.at for e in rollout.trajectory() if e.type == "step.started"]
    assert 12 * 60e6 < attempts[-1] - attempts[0] <= 15 * 60e6


async def test_retry_goes_on_at_exactly_that_step(rollout, model):
    model.fails(refused_key())
    await rollout.receive(UserInput(content="go"))
    model.says("now it works")

    await rollout.receive(RolloutResumed(reason=ResumeReason.RETRY, by="Priya"))

    started = [e for e in rollout.trajectory() if e.type == "step.started"]
    assert [(e.step, e.payload.attempt) for e in started] == [(0, 1), (0, 2)]
    assert rollout.lifecycle == "waiting (input)"


async def test_a_new_message_goes_on_at_exactly_that_step(rollout, model):
    model.fails(refused_key())
    await rollout.receive(UserInput(content="go"))

    await rollout.receive(UserInput(content="again"))

    assert rollout.payloads("agent.output")[0].content == "ok"
    assert [e.step for e in rollout.trajectory() if e.type == "step.started"] == [0, 0]


async def test_a_broken_stream_is_never_half_recorded(rollout, model):
    model.says("half an ans", finish_reason="cut")
    model.parts[0].error = None
    model.fails(ModelError("The connection broke off.", kind="cut_off", retryable=True))
    model.parts.reverse()

    await rollout.receive(UserInput(content="go"))

    assert [output.content for output in rollout.payloads("agent.output")] == ["half an ans"]


async def test_a_refused_tool_schema_leaves_the_other_tools(start, model):
    rollout = await start(tool("good"), tool("bad"))
    model.fails(
        ModelError("The schema of bad.x is refused.", kind="tool_schema", retryable=False, tool="bad", field="x")
    )

    await rollout.receive(UserInput(content="go"))

    assert [spec["name"] for spec in model.requests[-1].tools] == ["good"]
    aborted = rollout.payloads("step.aborted")[0]
    assert (aborted.tool, aborted.field) == ("bad", "x")


async def test_a_stop_during_backoff_is_dealt_with_at_once(rollout, model):
    model.fails(overloaded(retry_after_seconds=50))
    rollout.time_passes = False
    await rollout.receive(UserInput(content="go"))

    await rollout.receive(UserInterrupt())

    assert model.requests[-1].withhold_tools
    assert rollout.lifecycle == "waiting (input)"
