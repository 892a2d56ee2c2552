"""What is kept after a turn: one model call beside the conversation, and its changes in the memory alone."""

import json

import pytest

from runtime.domain.definition import MemoryPolicy
from runtime.domain.events import ExternalTrigger, UserInput, UserInterrupt
from runtime.domain.memory import MemoryScope, MemoryWrite
from runtime.domain.tool import Label
from runtime.ports import ModelError
from tests.builders import tool

MAYA = "u_maya"
KEEPS = MemoryPolicy(capture=("language", "orders.*"))
CANARY = "canary-4711"


async def says(rollout, text: str = "hello", person: str = MAYA) -> None:
    await rollout.post(UserInput(content=text, name="Maya"), source=person)
    await rollout.rest()


async def kept(rollout, owner: str = MAYA) -> dict[str, str | None]:
    memories = await rollout.store.memories(MemoryScope("p_1", owner, "user"))
    return {memory.key: memory.value for memory in memories}


@pytest.fixture
async def rollout(start):
    return await start(memory=KEEPS)


async def test_changes_are_kept_after_the_turn_and_stand_in_the_memory_alone(rollout, model):
    model.says("Hello, Maya.")
    model.says(json.dumps({"language": CANARY, "orders.last": "48213", "color": "red"}))

    await says(rollout)

    assert await kept(rollout) == {"language": CANARY, "orders.last": "48213"}
    assert CANARY not in "".join(event.text for event in rollout.trajectory())
    (thought,) = rollout.payloads("agent.thought")
    assert [entry.key for entry in thought.memory.entries] == ["language", "orders.last"]
    assert [output.content for output in rollout.payloads("agent.output")] == ["Hello, Maya."]


async def test_it_is_one_call_a_turn_without_tools_and_nobody_sees_its_answer(rollout, model):
    model.says("Hello.")
    model.says("{}")

    await says(rollout)
    await says(rollout, "again")

    assert [request.withhold_tools for request in model.requests] == [False, True, False, True]
    assert rollout.lifecycle == "waiting (input)"
    assert {step for step, _, _, _ in rollout.hub.deltas} == {0, 2}


async def test_the_conversation_goes_on_as_if_it_had_not_been_asked(rollout, model):
    model.says("Hello.")
    model.says("{}")
    await says(rollout)

    await says(rollout, "again")

    contents = [message["content"] for message in model.requests[2].messages[1:]]
    assert contents == [
        '<message from="Maya">hello</message>',
        "Hello.",
        '<message from="Maya">again</message>',
    ]


async def test_the_model_is_told_what_is_remembered_under_these_keys(rollout, model):
    write = MemoryWrite(MemoryScope("p_1", MAYA, "user"), "language", 1, CANARY)
    await rollout.store.change_memory(write)
    await rollout.store.change_memory(MemoryWrite(write.scope, "secret", 1, "other-value"))

    await says(rollout)

    assert CANARY not in str(model.requests[0].messages)
    assert CANARY in str(model.requests[1].messages)
    assert "other-value" not in str(model.requests[1].messages)
    assert [entry.key for entry in rollout.payloads("memory.recalled")[0].entries] == ["language"]


async def test_null_forgets_and_the_same_value_changes_nothing(rollout, model):
    scope = MemoryScope("p_1", MAYA, "user")
    await rollout.store.change_memory(MemoryWrite(scope, "language", 1, "German"))
    await rollout.store.change_memory(MemoryWrite(scope, "orders.last", 1, "48213"))
    model.says("Hello.")
    model.says('Here: {"language": null, "orders.last": "48213"}')

    await says(rollout)

    versions = {memory.key: memory.version for memory in await rollout.store.memories(scope)}
    assert await kept(rollout) == {"language": None, "orders.last": "48213"}
    assert versions == {"language": 2, "orders.last": 1}


@pytest.mark.parametrize("answer", ["", "nothing to keep", "[1]", '{"language": ', '{"../x": "y"}'])
async def test_an_answer_that_is_no_object_keeps_nothing(rollout, model, answer):
    model.says("Hello.")
    model.says(answer)

    await says(rollout)

    assert await kept(rollout) == {}
    assert rollout.lifecycle == "waiting (input)"


async def test_a_failed_call_is_given_up_and_the_rollout_goes_on(rollout, model):
    model.says("Hello.")
    model.fails(ModelError("Overloaded.", kind="overloaded", retryable=True))

    await says(rollout)

    assert rollout.lifecycle == "waiting (input)"
    assert len(model.requests) == 2
    model.says("Again.")
    await says(rollout, "again")
    assert rollout.payloads("agent.output")[-1].content == "Again."


async def test_a_message_that_comes_meanwhile_is_not_kept_waiting(rollout, model):
    model.says("Hello.")
    model.says('{"language": "German"} and more', hold_after=1)
    model.says("Second.")
    await rollout.post(UserInput(content="hello", name="Maya"), source=MAYA)
    await model.holding()

    await rollout.post(UserInput(content="again", name="Maya"), source=MAYA)
    await rollout.until(lambda: len(rollout.payloads("agent.output")) == 2)
    await rollout.rest()

    assert [output.content for output in rollout.payloads("agent.output")] == ["Hello.", "Second."]
    assert not any(output.interrupted for output in rollout.payloads("agent.output"))
    assert await kept(rollout) == {}
    assert model.requests[-1].withhold_tools


async def test_a_stop_ends_it_and_wakes_nobody(rollout, model):
    model.says("Hello.")
    model.says("a long answer", hold_after=1)
    await rollout.post(UserInput(content="hello", name="Maya"), source=MAYA)
    await model.holding()

    await rollout.post(UserInterrupt(name="Maya"), source=MAYA)
    await rollout.rest()

    assert len(model.requests) == 2
    assert rollout.lifecycle == "waiting (input)"
    assert "agent.output" not in rollout.types()[rollout.types().index("step.aborted") :]


async def test_a_restart_asks_again_in_a_step_of_its_own(rollout, model):
    model.says("Hello.")
    model.says("a long answer", hold_after=1)
    await rollout.post(UserInput(content="hello", name="Maya"), source=MAYA)
    await model.holding()
    await rollout.manager.stop()
    model.says('{"language": "German"}')

    await rollout.manager.start()
    await rollout.until(lambda: rollout.types()[-1] == "step.completed")

    assert await kept(rollout) == {"language": "German"}
    assert [started.captures for started in rollout.payloads("step.started")] == [False, True, True]


async def test_a_turn_of_nobody_keeps_nothing(rollout, model):
    await rollout.post(ExternalTrigger(trigger="order.shipped"), source="system")
    await rollout.rest()

    assert len(model.requests) == 1


async def test_what_is_kept_after_untrusted_reading_is_held_back(start, model):
    page = tool("fetch", labels=frozenset({Label.READS_UNTRUSTED}))
    rollout = await start(page, memory=KEEPS)
    model.calls(("fetch", {}))
    model.says("Hello.")
    model.says('{"language": "German"}')

    await says(rollout)

    (memory,) = await rollout.store.memories(MemoryScope("p_1", MAYA, "user"))
    assert memory.is_tainted


async def test_calls_that_were_refused_at_a_limit_have_their_results_in_the_request(start, model):
    look = tool("look")
    rollout = await start(look, memory=KEEPS)
    model.calls(*(("look", {"x": str(number)}) for number in range(11)))
    model.calls(("look", {}), text="Enough.")
    model.says("{}")

    await says(rollout)

    messages = model.requests[-1].messages
    called = {call["id"] for message in messages for call in message.get("tool_calls", ())}
    assert called == {message["tool_call_id"] for message in messages if message["role"] == "tool"}
