"""The pending queue: what is not urgent waits, disturbs nothing, and costs one call."""

import asyncio

from runtime.domain.events import UserInput
from runtime.ports import Arrival
from tests.builders import tool


async def test_a_message_is_answered(rollout, model):
    model.says("Hello Maya")

    await rollout.receive(UserInput(content="hi", name="Maya"))

    assert rollout.types() == ["rollout.started", "user.input", "step.started", "agent.output", "step.completed"]
    assert rollout.lifecycle == "waiting (input)"
    assert model.requests[0].messages[-1]["content"] == '<message from="Maya">hi</message>'


async def test_messages_that_come_while_the_model_speaks_wait_and_cost_one_call(rollout, model):
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="first"))
    await model.holding()
    for number in range(5):
        await rollout.post(UserInput(content=f"later {number}"))

    model.go()
    await rollout.rest()

    assert len(model.requests) == 2
    said = [event.payload.content for event in rollout.trajectory() if event.type == "user.input"]
    assert said == ["first", *(f"later {number}" for number in range(5))]
    assert 'n="5/5"' in model.requests[-1].messages[-1]["content"]


async def test_a_message_whose_nudge_was_lost_is_taken_at_the_next_boundary(start, model):
    model.calls(("wait", {}))
    held = tool("wait")
    held.gate = asyncio.Event()
    rollout = await start(held)
    await rollout.post(UserInput(content="first"))
    await held.began.wait()
    await rollout.store.accept(Arrival(rollout.id, UserInput(content="second"), "user:maya", "e_second"))

    held.gate.set()
    await rollout.rest()

    assert len(model.requests) == 2
    assert "second" in model.requests[1].messages[-1]["content"]


async def test_an_event_that_arrives_while_the_model_speaks_has_not_been_answered(rollout, model):
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="first"))
    await model.holding()
    await rollout.post(UserInput(content="second"))

    model.go()
    await rollout.rest()

    started = rollout.payloads("step.started")
    second = next(e.seq for e in rollout.trajectory() if getattr(e.payload, "content", "") == "second")
    assert started[0].seen < second <= started[1].seen


async def test_the_queue_waits_for_the_batch_of_calls(start, model):
    look = tool("look")
    look.gate = asyncio.Event()
    rollout = await start(look)
    model.calls(("look", {}))
    await rollout.post(UserInput(content="go"))
    await look.began.wait()
    await rollout.post(UserInput(content="meanwhile"))
    await rollout.until(lambda: len(rollout.actor.pending) == 1 and rollout.actor.is_waiting)

    look.gate.set()
    await rollout.rest()

    types = rollout.types()
    assert types.index("tool.result") < [i for i, t in enumerate(types) if t == "user.input"][1]
    assert len(model.requests) == 2


async def test_an_accepted_event_keeps_its_id_and_its_times(rollout, model):
    event_id = await rollout.post(UserInput(content="hi"))

    await rollout.rest()

    event = rollout.trajectory()[1]
    assert event.id == event_id
    assert event.received_at <= event.at
