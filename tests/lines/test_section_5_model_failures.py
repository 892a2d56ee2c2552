"""`runtime.md`, section 5: model failures."""

import pytest

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.context import render
from runtime.domain.decide import decide
from runtime.domain.events import RolloutStarted, UserInput
from runtime.domain.trajectory import Draft, place
from runtime.ports import ModelError, OutputDelta
from tests.builders import ScriptedModel, start_rollout, started_event
from tests.lines.virtual import played, until
from tests.simulation.virtual_time import VirtualLoop

ELSEWHERE = {
    "Per model 4 attempts": "tests/engine/test_model_failures.py::test_after_four_attempts_the_next_model_is_asked",
    "`step.aborted` carries `retry_at` (jitter and Retry-After drawn by the shell)": (
        "tests/engine/test_model_failures.py::test_retry_after_is_respected"
    ),
    "Retry-After over 60 s: the next of `fallback_models`": (
        "tests/engine/test_model_failures.py::test_a_long_retry_after_goes_to_the_next_model_at_once"
    ),
    "or attempts used up: the next of `fallback_models`": (
        "tests/engine/test_model_failures.py::test_after_four_attempts_the_next_model_is_asked"
    ),
    "the last one waits up to 15 minutes": (
        "tests/engine/test_model_failures.py::test_the_last_model_gets_a_quarter_of_an_hour"
    ),
    "then `rollout.failed` with the provider's reason in plain words": (
        "tests/engine/test_model_failures.py::test_what_cannot_be_retried_fails_in_plain_words"
    ),
    "retry goes on at exactly that step": (
        "tests/engine/test_model_failures.py::test_retry_goes_on_at_exactly_that_step"
    ),
    "or simply a new message goes on at exactly that step": (
        "tests/engine/test_model_failures.py::test_a_new_message_goes_on_at_exactly_that_step"
    ),
    "A waking event during backoff joins the next attempt": (
        "tests/engine/test_model_failures.py::test_a_message_during_backoff_joins_the_next_attempt"
    ),
    "A tool schema that a provider refuses is reported with tool and field, and the other tools go on": (
        "tests/engine/test_model_failures.py::test_a_refused_tool_schema_leaves_the_other_tools"
    ),
    "`finish_reason: length` and refusals are shown as such": (
        "tests/engine/test_limits.py::test_length_and_refusals_are_recorded_as_such"
    ),
    "An empty answer is asked once more, then reported": (
        "tests/engine/test_limits.py::test_an_empty_answer_is_asked_once_more_then_reported"
    ),
    "A message to a completed or cancelled rollout starts a new rollout in the session": (
        "tests/api/test_messages.py::test_a_message_to_a_cancelled_rollout_starts_a_new_one"
    ),
}


BOUNDS = [(0.5e6, 1.01e6), (1e6, 2.01e6), (2e6, 4.01e6)]
"""Of the first waits, in microseconds; the clock of the tests goes on while it is looked at."""


def overloaded(**properties) -> ModelError:
    return ModelError("The model is overloaded.", kind="overloaded", retryable=True, **properties)


def asked_in_virtual_time(errors: list[ModelError], **agent) -> list[tuple[float, str]]:
    """When each model was asked, in seconds since the first time; errors in order, then an answer."""
    asked: list[tuple[float, str]] = []
    clocks: list[VirtualLoop] = []

    class Watched(ScriptedModel):
        async def stream(self, request):
            asked.append((clocks[0].time(), request.model))
            async for chunk in super().stream(request):
                yield chunk

    model = Watched()
    for error in errors:
        model.fails(error)

    async def play(loop, rollout):
        clocks.append(loop)
        await rollout.post(UserInput(content="go"))
        await until(lambda: asked and rollout.lifecycle in ("waiting (input)", "failed"))

    played(play, model, **agent)
    return [(at - asked[0][0], name) for at, name in asked]


def test_a_model_has_two_minutes_for_its_four_attempts():
    """Per model 4 attempts within 2 minutes"""
    asked = asked_in_virtual_time([overloaded(retry_after_seconds=50)] * 3, fallback_models=("second",))

    assert [name for _, name in asked] == ["scripted"] * 3 + ["second"]
    assert asked[-1][0] < 120


def test_decide_draws_nothing():
    """jitter and Retry-After drawn by the shell, so `decide` stays pure"""
    agent = Agent(name="tester", model="scripted")
    events = [started_event(agent, 1)]
    events.append(place(Draft(UserInput(content="go"), "user:maya"), 2, 1, events[-1].sha256))

    assert decide(fold(events), agent) == decide(fold(events), agent)


async def test_two_failures_in_a_row_are_waited_for_with_jitter(rollout, model):
    """jitter … drawn by the shell"""
    for _ in range(3):
        model.fails(overloaded())

    await rollout.receive(UserInput(content="go"))

    waits = [event.payload.retry_at - event.at for event in rollout.trajectory() if event.type == "step.aborted"]
    assert all(low <= wait <= high for wait, (low, high) in zip(waits, BOUNDS, strict=True))


async def test_while_the_last_model_is_waited_for_it_is_shown_until_when(rollout, model):
    """the last one waits … as `waiting (model)` with the time shown"""
    model.fails(overloaded(retry_after_seconds=300))
    rollout.time_passes = False

    await rollout.receive(UserInput(content="go"))

    shown = rollout.store.rows["r_1"].projection
    assert (shown.lifecycle, shown.waiting_for) == ("waiting", "model")
    assert shown.waiting_until == rollout.payloads("step.aborted")[0].retry_at


async def test_a_failed_rollout_is_not_at_its_end(rollout, model):
    """`failed` is not the end"""
    model.fails(ModelError("The key was refused.", kind="authentication", retryable=False))
    await rollout.receive(UserInput(content="go"))
    assert (rollout.lifecycle, rollout.state.ended) == ("failed", "")

    await rollout.receive(UserInput(content="again"))

    assert rollout.lifecycle == "waiting (input)"


async def test_of_a_stream_that_broke_off_nothing_is_recorded_as_an_answer():
    """A broken stream is never half-recorded."""

    class BreakingOff(ScriptedModel):
        async def stream(self, request):
            if not self.requests:
                self.requests.append(request)
                yield OutputDelta("half an ")
                raise ModelError("The connection broke off.", kind="cut_off", retryable=True)
            async for chunk in super().stream(request):
                yield chunk

    model = BreakingOff()
    rollout = await start_rollout(model)
    model.says("a whole answer")

    await rollout.receive(UserInput(content="go"))

    assert [text for _, _, _, text in rollout.hub.deltas][:1] == ["half an "]
    assert [output.content for output in rollout.payloads("agent.output")] == ["a whole answer"]
    assert "half an" not in str(model.requests[1].messages)
    await rollout.manager.stop()


def test_a_new_rollout_is_shown_the_last_answer_of_the_old():
    """starts a new rollout …, shown the last answer of the old"""
    agent = Agent(name="tester", model="scripted")
    start = RolloutStarted(agent="tester", agent_version=1, previous_answer="It costs 60.")
    events = [started_event(agent, 1, start)]
    events.append(place(Draft(UserInput(content="and now?"), "user:maya"), 2, 1, events[-1].sha256))

    prompt = render(fold(events), agent, model="scripted", withhold=False)

    assert '<notice about="the conversation before">It costs 60.</notice>' in prompt.messages[-1]["content"]


@pytest.mark.parametrize("attempts", [1, 4])
async def test_each_model_has_its_own_attempts(start, model, attempts):
    """Per model 4 attempts"""
    rollout = await start(fallback_models=("second",))
    for _ in range(4 + attempts):
        model.fails(overloaded())

    await rollout.receive(UserInput(content="go"))

    assert [request.model for request in model.requests] == ["scripted"] * 4 + ["second"] * (attempts + 1)
