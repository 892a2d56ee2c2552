"""Timers and waiting: runtime.md, 7 and 11."""

from runtime.domain.events import UserInput
from tests.builders import ScriptedModel


async def asked_to_wait(start, model: ScriptedModel, **args):
    rollout = await start(framework=True)
    model.calls(("set_timer", args))
    model.says("I will look again.")
    await rollout.receive(UserInput(content="remind me"))
    return rollout


async def test_a_timer_goes_off_once_and_wakes_the_model(start, model):
    rollout = await asked_to_wait(start, model, after_seconds=3600, note="look at the parcel")
    assert rollout.lifecycle == "waiting (timer)"
    assert rollout.payloads("timer.set")[0].result == "The timer 0.0 is set."

    model.says("Looked.")
    rollout.clock.pass_(3600)
    await rollout.until(lambda: len(model.requests) == 3)
    await rollout.rest()

    assert rollout.types().count("timer.trigger") == 1
    assert "look at the parcel" in model.requests[2].messages[-1]["content"]
    assert rollout.lifecycle == "waiting (input)"


async def test_a_rollout_that_waits_for_days_holds_no_task_and_no_memory(start, model):
    rollout = await asked_to_wait(start, model, after_seconds=3 * 24 * 3600)
    await rollout.until(lambda: rollout.manager.running == 0)


async def test_a_cancelled_timer_never_goes_off(start, model):
    rollout = await asked_to_wait(start, model, after_seconds=60)
    model.calls(("cancel_timer", {"timer_id": "0.0"}))
    await rollout.receive(UserInput(content="never mind"))
    rollout.clock.pass_(3600)
    await rollout.receive(UserInput(content="hello"))

    assert "timer.trigger" not in rollout.types()
    assert rollout.lifecycle == "waiting (input)"


async def test_an_urgent_timer_cuts_the_answer_and_another_waits_its_turn(start, model):
    rollout = await asked_to_wait(start, model, after_seconds=60, urgent=True)
    model.says("one two three four", hold_after=2)
    await rollout.receive(UserInput(content="count"))
    rollout.clock.pass_(61)
    rollout.manager.nudge(rollout.id)
    await rollout.until(lambda: "step.aborted" in rollout.types())
    await rollout.rest()
    assert rollout.payloads("agent.output")[1].interrupted


async def test_a_repeated_timer_says_how_often_it_was_missed(start, model):
    rollout = await asked_to_wait(start, model, after_seconds=3600, every="1h", note="hourly")
    await rollout.until(lambda: rollout.manager.running == 0)
    rollout.clock.pass_(3 * 3600 + 10)
    await rollout.until(lambda: "timer.trigger" in rollout.types())
    await rollout.rest()

    [trigger] = rollout.payloads("timer.trigger")
    assert trigger.missed == 2
    assert rollout.state.dealings.timers[0].due_at == trigger.next_due == trigger.due_at + 3 * 3600 * 1_000_000


async def test_several_due_at_once_are_taken_in_order_and_cost_one_call(start, model):
    rollout = await start(framework=True)
    model.calls(
        ("set_timer", {"after_seconds": 90, "note": "second"}), ("set_timer", {"after_seconds": 60, "note": "first"})
    )
    model.says("Set.")
    await rollout.receive(UserInput(content="two timers"))
    await rollout.until(lambda: rollout.manager.running == 0)
    rollout.clock.pass_(100)
    await rollout.until(lambda: len(model.requests) == 3)
    await rollout.rest()

    assert [trigger.note for trigger in rollout.payloads("timer.trigger")] == ["first", "second"]
    assert len(model.requests) == 3


async def test_a_time_that_is_past_is_refused_in_words(start, model):
    rollout = await asked_to_wait(start, model, at="2001-01-01T00:00Z")
    [result] = rollout.payloads("tool.result")
    assert result.status == "error"
    assert "is past" in result.content
    assert rollout.payloads("tool.request")[0].args == {"at": "2001-01-01T00:00Z"}
