"""Agents among themselves: runtime.md, 9."""

from collections.abc import AsyncIterator

from runtime.domain.agent import Agent, Limits
from runtime.domain.definition import AgentGrant, StateMachine
from runtime.domain.events import (
    RolloutCancelled,
    RolloutPaused,
    RolloutResumed,
    UserInput,
    UserInterrupt,
)
from runtime.ports import Chunk, ModelError, ModelRequest
from tests.builders import ScriptedModel


class Models:
    """A scripted model for each agent, by the name that its model string has."""

    def __init__(self, *names: str) -> None:
        self.by_name = {name: ScriptedModel() for name in names}

    def __getattr__(self, name: str) -> ScriptedModel:
        return self.by_name[name]

    @property
    def is_holding(self) -> bool:
        return any(model.is_holding for model in self.by_name.values())

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        async for chunk in self.by_name[request.model].stream(request):
            yield chunk


def helper(name: str = "helper", **fields) -> Agent:
    return Agent(name=name, model=name, **fields)


async def two(start_many, **fields):
    models = Models("scripted", "helper")
    rollout = await start_many(models, others=[helper(**fields)])
    return models, rollout


async def test_invoke_waits_for_the_answer_of_a_rollout_of_its_own(start_many):
    models, rollout = await two(start_many)
    models.scripted.calls(("invoke_helper", {"task": "find the policy"}))
    models.scripted.says("Thirty days.")
    models.helper.says("30 days.")
    await rollout.post(UserInput(content="how long?"))
    await rollout.until(lambda: len(models.scripted.requests) == 2)
    await rollout.rest()

    child = rollout.other("r_2")
    assert child.types()[:2] == ["rollout.started", "agent.input"]
    started = child.payloads("rollout.started")[0]
    assert (started.root, started.parent, started.parent_call, started.ancestors) == ("r_1", "r_1", "0.0", ("tester",))
    assert child.payloads("agent.response")[0].answers == "0.0"
    assert child.payloads("agent.output")[0].to == "caller"
    assert models.scripted.requests[1].messages[-1] == {"role": "tool", "tool_call_id": "0.0", "content": "30 days."}
    assert rollout.types().count("agent.input") == 1


async def test_the_parent_waits_for_its_child(start_many):
    models, rollout = await two(start_many)
    models.scripted.calls(("invoke_helper", {"task": "x"}))
    models.helper.says("one two", hold_after=1)
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: models.helper.is_holding)
    assert rollout.lifecycle == "waiting (child)"


async def test_in_the_background_the_agent_goes_on_at_once(start_many):
    models = Models("scripted", "helper")
    grants = (AgentGrant(name="helper", mode="background"),)
    rollout = await start_many(models, others=[helper()], agents=grants)
    models.scripted.calls(("invoke_helper", {"task": "x"}))
    models.scripted.says("It is under way.")
    models.helper.says("one two", hold_after=1)
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: len(models.scripted.requests) == 2 and models.helper.is_holding)
    assert "Accepted: the agent helper works on it as 0.0" in models.scripted.requests[1].messages[-1]["content"]
    models.helper.go()
    await rollout.until(lambda: len(models.scripted.requests) == 3)
    assert "one two" in models.scripted.requests[2].messages[-1]["content"]


async def test_a_failed_child_is_an_error_result_never_silence(start_many):
    models, rollout = await two(start_many)
    models.scripted.calls(("invoke_helper", {"task": "x"}))
    models.helper.fails(ModelError("The key is wrong.", kind="auth", retryable=False))
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: len(models.scripted.requests) == 2)
    assert "The agent helper could not go on: The key is wrong." in models.scripted.requests[1].messages[-1]["content"]


async def held(start_many):
    models, rollout = await two(start_many)
    models.scripted.calls(("invoke_helper", {"task": "x"}))
    models.helper.says("one two three", hold_after=1)
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: models.helper.is_holding)
    return models, rollout, rollout.other("r_2")


async def test_cancelling_cancels_the_children(start_many):
    _, rollout, child = await held(start_many)
    await rollout.post(RolloutCancelled(by="Priya"))
    await rollout.until(lambda: child.lifecycle == "cancelled")
    assert rollout.lifecycle == "cancelled"
    assert "agent.response" not in child.types()
    assert [(said.to, said.interrupted) for said in child.payloads("agent.output")] == [("caller", True)]


async def test_a_stop_covers_awaited_sub_agents(start_many):
    models, rollout, child = await held(start_many)
    await rollout.post(UserInterrupt(respond=False))
    await rollout.until(lambda: child.lifecycle == "cancelled")
    await rollout.until(lambda: rollout.lifecycle == "waiting (input)")
    assert rollout.types().count("agent.input") == 0
    assert len(models.scripted.requests) == 1


async def test_pausing_pauses_the_children_and_resuming_resumes_them(start_many):
    models, rollout, child = await held(start_many)
    await rollout.post(RolloutPaused(by="Priya"))
    await rollout.until(lambda: "rollout.paused" in child.types())
    models.helper.go()
    await rollout.until(lambda: child.lifecycle == "paused")
    await rollout.post(RolloutResumed(by="Priya"))
    await rollout.until(lambda: len(models.scripted.requests) == 2)


async def test_a_child_that_a_person_cancels_says_so(start_many):
    models, rollout, child = await held(start_many)
    await child.post(RolloutCancelled(by="Tom"))
    await rollout.until(lambda: len(models.scripted.requests) == 2)
    assert "Tom cancelled the agent helper." in models.scripted.requests[1].messages[-1]["content"]


async def test_agents_may_not_call_one_another_deeper_than_the_limit(start_many):
    models = Models("scripted", "helper")
    rollout = await start_many(models, others=[helper()], limits=Limits(max_depth=0))
    models.scripted.calls(("invoke_helper", {"task": "x"}))
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: len(models.scripted.requests) == 2)
    assert rollout.payloads("tool.result")[0].status == "limit"
    assert list(rollout.store.rows) == ["r_1"]


async def test_a_message_reaches_a_living_child_and_it_answers_again(start_many):
    models, rollout = await two(start_many)
    models.scripted.calls(("invoke_helper", {"task": "x"}))
    models.scripted.calls(("message_agent", {"to": "helper", "content": "and the fees?"}))
    models.scripted.says("Asked.")
    models.scripted.says("No fees.")
    models.helper.says("30 days.")
    models.helper.says("No fees.")
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: len(models.scripted.requests) == 4)
    assert "No fees." in models.scripted.requests[3].messages[-1]["content"]


async def test_agents_that_worked_for_what_is_completed_are_done_too(start_many):
    machine = StateMachine.model_validate(
        {"initial": "open", "states": {"open": {"transitions": [{"to": "done"}]}, "done": {"final": True}}}
    )
    models = Models("scripted", "helper")
    rollout = await start_many(models, others=[helper()], machine=machine)
    models.scripted.calls(("invoke_helper", {"task": "x"}))
    models.scripted.calls(("update_rollout_state", {"to": "done"}))
    models.scripted.says("All done.")
    models.helper.says("ok")
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: rollout.lifecycle == "completed")
    await rollout.until(lambda: rollout.other("r_2").lifecycle == "completed")
