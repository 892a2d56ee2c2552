"""`runtime.md`, section 4: an event is accepted, its way is chosen, and what is queued waits."""

import asyncio

import pytest

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.events import (
    AgentInput,
    AgentInterruptReceived,
    ApprovalDecision,
    ExternalTrigger,
    Payload,
    RolloutCancelled,
    RolloutPaused,
    RolloutResumed,
    SupervisorInstruction,
    TimerTrigger,
    UserInput,
    UserInterrupt,
)
from runtime.domain.pending import Pending
from runtime.domain.urgency import Boundary, Cut, Immediate, next_taking
from runtime.ports import Arrival
from tests.builders import RunningRollout, started_event, tool

ELSEWHERE = {
    "A sender's key is good once": (
        "tests/stores/suite.py::StoreSuite::test_a_key_is_good_once_and_gives_the_first_answer_again"
    ),
    "per sender and route": (
        "tests/stores/suite.py::StoreSuite::test_the_same_key_of_another_sender_or_route_is_another_key"
    ),
    "again with the same body, the same ids": (
        "tests/api/test_messages.py::test_the_same_key_with_the_same_body_gives_the_same_id"
    ),
    "with another body, 422": "tests/api/test_messages.py::test_the_same_key_with_another_body_is_refused",
    "at each boundary: a model answer ended": (
        "tests/engine/test_queue.py::test_messages_that_come_while_the_model_speaks_wait_and_cost_one_call"
    ),
    "the batch of synchronous calls of a step is complete": (
        "tests/engine/test_queue.py::test_the_queue_waits_for_the_batch_of_calls"
    ),
    "and the model is then called once for all of it": "tests/domain/test_fold.py::test_n_pending_events_cost_one_call",
}

WAYS: list[tuple[Payload, type]] = [
    (UserInput(content="hello"), Boundary),
    (AgentInput(content="found it"), Boundary),
    (ExternalTrigger(trigger="order.shipped"), Boundary),
    (SupervisorInstruction(content="later", queued=True), Boundary),
    (TimerTrigger(timer_id="0.0"), Boundary),
    (UserInput(content="now", now=True), Cut),
    (ExternalTrigger(trigger="order.lost", urgent=True), Cut),
    (SupervisorInstruction(content="stop that"), Cut),
    (TimerTrigger(timer_id="0.0", urgent=True), Cut),
    (AgentInterruptReceived(content="stop that"), Cut),
    (UserInterrupt(), Cut),
    (UserInterrupt(call_id="0.0"), Immediate),
    (ApprovalDecision(call_id="0.0", verdict="deny"), Immediate),
    (RolloutPaused(), Immediate),
    (RolloutResumed(), Immediate),
    (RolloutCancelled(), Immediate),
]


async def accepted(rollout: RunningRollout, *contents: str) -> None:
    """Messages that are in the queue while nobody has been told to look."""
    for content in contents:
        await rollout.store.accept(Arrival(rollout.id, UserInput(content=content), "user:maya", f"e_{content}"))


def said(rollout: RunningRollout) -> list[str]:
    return [message.content for message in rollout.payloads("user.input")]


async def test_an_event_that_is_accepted_is_in_the_pending_queue_when_its_sender_is_told(rollout, model):
    """Accepting an event means committing it to the pending queue; only then is the sender told."""
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))

    answer = await rollout.store.accept(Arrival(rollout.id, UserInput(content="more"), "user:maya", "e_more"))

    assert [item.id for item in rollout.store.rows[rollout.id].pending] == [answer.id]


async def test_an_accepted_event_has_one_id_in_the_answer_in_the_queue_and_in_the_trajectory(rollout):
    """An accepted event has an `id`, the same in the answer, in the pending queue and in the trajectory."""
    answer = await rollout.store.accept(Arrival(rollout.id, UserInput(content="hi"), "user:maya", "e_hi"))
    [waiting] = (await rollout.store.queue(rollout.id)).pending

    rollout.manager.nudge(rollout.id)
    await rollout.rest()

    assert answer.id == waiting.id == rollout.trajectory()[1].id


@pytest.mark.parametrize(("payload", "way"), WAYS, ids=lambda value: getattr(value, "type", None))
def test_the_way_follows_from_type_and_urgency(payload, way):
    """The framework chooses the way by type and urgency; authors do not program it."""
    agent = Agent(name="tester")
    state = fold([started_event(agent, 1)])

    assert isinstance(next_taking(state, agent, [Pending("e_1", payload, "user:maya", 1, 1)]), way)


async def test_a_queued_event_waits_at_the_end_of_the_queue_and_disturbs_nothing(rollout, model):
    """The event waits at the end of the queue and disturbs nothing."""
    model.says("one two three", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    first, second = [await rollout.post(UserInput(content=word)) for word in ("red", "green")]
    await rollout.rest()

    assert [item.id for item in (await rollout.store.queue(rollout.id)).pending] == [first, second]
    assert said(rollout) == ["count"]
    model.go()
    await rollout.rest()
    assert (model.cancelled, rollout.payloads("agent.output")[0].content) == (0, "one two three")


async def test_the_whole_queue_is_moved_at_once_and_in_order_of_arrival_when_the_rollout_is_idle(rollout, model):
    """The whole queue is moved, in order of arrival, to the end of the trajectory (a) at once when the rollout is
    idle"""
    await accepted(rollout, "red", "green", "blue")

    rollout.manager.nudge(rollout.id)
    await rollout.rest()

    assert rollout.types()[1:5] == ["user.input", "user.input", "user.input", "step.started"]
    assert said(rollout) == ["red", "green", "blue"]
    assert len(model.requests) == 1


async def test_each_result_is_recorded_when_it_comes_and_then_the_queue(start, model):
    """the batch of synchronous calls of a step is complete (each result is recorded when it comes, then the queue)"""
    quick, slow = tool("quick"), tool("slow")
    slow.gate = asyncio.Event()
    rollout = await start(quick, slow)
    model.calls(("quick", {}), ("slow", {}))
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: "tool.result" in rollout.types())
    await rollout.post(UserInput(content="meanwhile"))
    await rollout.until(lambda: bool(rollout.actor.pending))
    assert rollout.types().count("tool.result") == rollout.types().count("user.input") == 1

    slow.gate.set()
    await rollout.rest()

    came = [type_ for type_ in rollout.types() if type_ in ("tool.result", "user.input")]
    assert came == ["user.input", "tool.result", "tool.result", "user.input"]


async def test_an_asynchronous_result_is_a_boundary_while_no_model_call_and_no_batch_is_open(start, model):
    """an asynchronous result came in while no model call and no batch was open"""
    slow = tool("slow", runs_async=True)
    slow.gate = asyncio.Event()
    rollout = await start(slow)
    model.calls(("slow", {"x": "1"}))
    model.says("It runs.")
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: rollout.types().count("step.completed") == 2)
    await accepted(rollout, "how far?")

    slow.gate.set()
    await rollout.until(lambda: rollout.types().count("step.completed") == 3)

    assert rollout.types()[-5:] == ["tool.result", "user.input", "step.started", "agent.output", "step.completed"]
    assert len(model.requests) == 3
