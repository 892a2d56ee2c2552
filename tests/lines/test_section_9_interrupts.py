"""`runtime.md`, section 9: whom an agent may interrupt."""

import pytest

from runtime.domain.apply import fold
from runtime.domain.events import UserInput
from runtime.engine.change import project
from runtime.ports import NewRollout, RolloutInfo
from tests.builders import RunningRollout, framework_tools, started_event
from tests.engine.test_children import held, helper, two

ELSEWHERE = {
    "and to peers that the workflow file lists": (
        "tests/stores/test_facts.py::test_peers_may_be_interrupted_where_the_workflow_of_the_session_lists_them"
    ),
}


async def beside(rollout: RunningRollout, id_: str, session: str, parent: str = "") -> RunningRollout:
    """Another rollout of the helper, which that one called; or nobody."""
    info = RolloutInfo(id_, session, "p_1", "helper", 1, "helper", "r_1" if parent else "", parent)
    first = started_event(helper("helper"), rollout.clock.now())
    await rollout.store.create(NewRollout(info, first, project(fold([first]), helper("helper"))))
    return rollout.other(id_)


async def test_interrupt_agent_goes_down_the_tree(start_many):
    """`interrupt_agent` goes down the tree"""
    models, rollout, child = await held(start_many)
    models.scripted.calls(("interrupt_agent", {"to": "helper", "content": "only the price"}))
    await rollout.post(UserInput(content="only the price"))
    await rollout.until(lambda: "agent.interrupt.received" in child.types())

    assert child.payloads("agent.output")[0].interrupted
    assert child.payloads("agent.interrupt.received")[0].content == "only the price"


async def test_interrupt_agent_reaches_the_agents_below_those_that_were_called(start_many):
    """`interrupt_agent` goes down the tree"""
    models, rollout, _ = await held(start_many)
    grandchild = await beside(rollout, "r_9", "s_1", "r_2")
    models.scripted.calls(("interrupt_agent", {"to": "r_9", "content": "only the price"}))

    await rollout.post(UserInput(content="only the price"))
    await rollout.until(lambda: "agent.interrupt.received" in grandchild.types())

    assert rollout.payloads("agent.interrupt")[0].to_rollout == "r_9"


async def test_interrupt_agent_does_not_go_up_the_tree(start_many):
    """`interrupt_agent` goes down the tree, and to peers that the workflow file lists"""
    models, rollout = await two(start_many, tools=framework_tools({"framework": True}, ()))
    models.scripted.calls(("invoke_helper", {"task": "x"}))
    models.helper.calls(("interrupt_agent", {"to": "r_1", "content": "hurry"}))

    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: len(models.scripted.requests) == 2)

    assert "agent.interrupt.received" not in rollout.types()
    assert "there is no agent r_1 that you can reach" in models.helper.requests[1].messages[-1]["content"]


@pytest.mark.parametrize(("is_listed", "came"), [(True, ["stop that"]), (False, [])])
async def test_interrupt_agent_goes_to_peers_that_are_listed(start_many, is_listed, came):
    """and to peers that the workflow file lists"""
    models, rollout = await two(start_many)
    peer = await beside(rollout, "r_9", "s_1")
    rollout.store.interruptible = {("tester", "helper")} if is_listed else set()
    models.scripted.calls(("interrupt_agent", {"to": "r_9", "content": "stop that"}))

    await rollout.receive(UserInput(content="go"))
    await rollout.until(lambda: len(models.scripted.requests) == 2 and len(peer.types()) >= 1 + len(came))

    assert [received.content for received in peer.payloads("agent.interrupt.received")] == came


async def test_interrupt_agent_never_goes_across_sessions(start_many):
    """never across sessions"""
    models, rollout = await two(start_many)
    stranger = await beside(rollout, "r_9", "s_2")
    rollout.store.interruptible = {("tester", "helper")}
    models.scripted.calls(("interrupt_agent", {"to": "r_9", "content": "stop that"}))

    await rollout.receive(UserInput(content="go"))

    assert "there is no agent r_9 that you can reach" in models.scripted.requests[1].messages[-1]["content"]
    assert stranger.types() == ["rollout.started"]
