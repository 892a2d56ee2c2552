"""Supervision, escalation, forms: runtime.md, 4, 6 and 9."""

from runtime.domain.events import FormAnswer, RolloutResumed, SupervisorInstruction, UserInput
from runtime.domain.facts import Person
from tests.builders import tool


async def escalated(start, model, **args):
    rollout = await start(framework=True)
    model.calls(("escalate", {"reason": "over the limit", "question": "May I?", "deadline_seconds": 3600, **args}))
    model.says("I have asked.")
    await rollout.receive(UserInput(content="go"))
    return rollout


async def test_an_escalation_does_not_block_and_an_instruction_answers_it(start, model):
    rollout = await escalated(start, model)
    assert rollout.payloads("agent.escalation")[0].result.startswith("The supervisors are told.")
    assert len(rollout.state.dealings.escalations) == 1
    await rollout.receive(SupervisorInstruction(content="yes", by="Priya", queued=True))
    assert rollout.state.dealings.escalations == ()


async def test_nobody_answers_in_time_and_the_agent_is_told(start, model):
    rollout = await escalated(start, model)
    rollout.clock.pass_(3601)
    await rollout.until(lambda: len(model.requests) == 3)
    assert "No supervisor answered in time: May I?" in model.requests[2].messages[-1]["content"]


async def test_nobody_answers_in_time_and_it_is_paused_or_cancelled(start, model):
    for then, lifecycle in (("pause", "paused"), ("cancel", "cancelled")):
        rollout = await escalated(start, model, then=then)
        rollout.clock.pass_(3601)
        await rollout.until(lambda rollout=rollout, lifecycle=lifecycle: rollout.lifecycle == lifecycle)
        await rollout.rest()


async def test_the_agent_pauses_itself(start, model):
    rollout = await start(framework=True)
    model.calls(("pause", {"reason": "I am not sure"}))
    await rollout.receive(UserInput(content="go"))
    assert rollout.lifecycle == "paused"
    await rollout.receive(RolloutResumed(by="Priya"))
    assert len(model.requests) == 2


async def asking(start, model, **args):
    rollout = await start(tool("look"), framework=True)
    rollout.store.people.append(Person("user:maya", "Maya"))
    model.calls(("send_message", {"to": "Maya", "content": "Which order?", "wait": True, **args}))
    await rollout.receive(UserInput(content="help", name="Maya"))
    return rollout


async def test_a_question_waits_for_that_persons_answer(start, model):
    rollout = await asking(start, model)
    [asked] = rollout.payloads("agent.output")
    assert (asked.to, asked.to_name, asked.waits) == ("user:maya", "Maya", True)
    assert rollout.lifecycle == "waiting (input)"
    assert len(model.requests) == 1

    await rollout.receive(UserInput(content="48213", name="Maya"))
    assert model.requests[1].messages[-1] == {
        "role": "tool",
        "tool_call_id": "0.0",
        "content": "Maya answered: 48213",
    }


async def test_a_forms_answer_has_its_name_and_values(start, model):
    rollout = await asking(start, model, form={"type": "object"})
    answer = UserInput(name="Maya", form=FormAnswer(name="0.0", values={"order": 48213}))
    await rollout.receive(answer)
    assert model.requests[1].messages[-1]["content"] == 'Maya answered: {"order":48213}'


async def test_another_persons_message_does_not_answer_it(start, model):
    rollout = await asking(start, model)
    await rollout.post(UserInput(content="hello", name="Tom"), source="user:tom")
    await rollout.rest()
    assert "Not done yet: Maya has not answered." in model.requests[1].messages[-2]["content"]
    await rollout.receive(UserInput(content="48213", name="Maya"))
    assert '<message from="Maya">48213</message>' in model.requests[2].messages[-1]["content"]


async def test_a_note_is_kept_and_done_with(start, model):
    rollout = await start(framework=True)
    model.calls(("note", {"content": "she is in a hurry"}))
    await rollout.receive(UserInput(content="hi"))
    [note] = rollout.payloads("agent.thought")
    assert (note.kind, note.content) == ("note", "she is in a hurry")
    assert model.requests[1].messages[-1]["content"] == "Noted."
