"""Agents that invoke agents, on the database: what the manager makes of them is what the checker expects."""

import asyncio
from dataclasses import replace

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from runtime.domain.agent import AgentGrant
from runtime.domain.apply import fold
from runtime.domain.events import ApprovalDecision, RolloutCancelled, UserInput, Verdict
from runtime.domain.tool import Access, ApprovalPolicy
from runtime.engine.change import project
from runtime.engine.executor import Executor
from runtime.engine.manager import Manager
from runtime.engine.shell import Shell
from runtime.ports import NewRollout, RolloutInfo
from studio.models import Agent, AgentVersion, Rollout
from studio.verify import verify
from tests.builders import RecordingHub, ScriptedModel, accept_all, framework_tools, started_event, tool
from tests.stores.builders import AGENT, PROJECT, arrival, new_rollout

HELPER = replace(AGENT, name="helper", model="helper")
PAY = ApprovalPolicy("always")


@pytest.fixture
def helper(project):
    agent = Agent.objects.create(project=project, name="helper")
    return AgentVersion.objects.create(agent=agent, number=1, text="name: helper\n", sha256="0" * 64)


class Desk:
    """A manager over the store, with the tester, who may invoke the helper, who may pay with leave."""

    def __init__(self, store, clock) -> None:
        self.store, self.clock, self.model = store, clock, ScriptedModel()
        self.pay = tool("pay", access=Access.WRITE, approval=PAY, rollback="pay_back")
        self.back = tool("pay_back", access=Access.WRITE)
        tools = framework_tools({}, [HELPER])
        tester = replace(AGENT, tools=tools, agents=(AgentGrant(name="helper"),))
        helper = replace(HELPER, tools=(self.pay.spec,), hidden_tools=(self.back.spec,))
        self.agents = {"tester": tester, "helper": helper}
        executor = Executor({"pay": self.pay, "pay_back": self.back}.get, store, clock)
        shell = Shell(
            store,
            RecordingHub(),
            clock,
            self.model,
            executor,
            accept_all,
            new_rollout_id=lambda: "r_c",
            new_child=self._child,
            linger_seconds=0.05,
        )
        self.manager = Manager(shell, self._bind, "worker")

    async def _bind(self, claimed):
        return self.agents[claimed.info.agent]

    async def _child(self, parent, rollout, start, text):
        info = RolloutInfo(rollout, parent.session, PROJECT, "helper", 1, text, start.root, start.parent)
        first = started_event(self.agents["helper"], self.clock.now(), start)
        return NewRollout(info, first, project(fold([first]), self.agents["helper"]))

    async def send(self, payload, rollout: str = "r_1", **fields) -> None:
        await self.store.accept(arrival(payload, rollout, **fields))
        self.manager.nudge(rollout)

    async def until(self, **shown: str) -> None:
        """Until the row of each rollout named has that lifecycle, or waits for that."""
        async with asyncio.timeout(20):
            while await sync_to_async(_shown)(shown) != shown:
                await asyncio.sleep(0.01)


def _shown(wanted):
    rows = Rollout.objects.filter(public_id__in=wanted)
    return {row.public_id: row.waiting_for or row.lifecycle for row in rows}


async def begin(desk: Desk) -> None:
    await desk.store.create(new_rollout())
    await desk.manager.start()
    desk.model.calls(("invoke_helper", {"task": "pay 60"}))
    desk.model.calls(("pay", {"x": "60"}))
    await desk.send(UserInput(content="pay 60, please"))
    await desk.until(r_1="child", r_c="approval")


def test_a_sub_agent_works_with_leave_and_its_answer_comes_back(store, clock, helper):
    desk = Desk(store, clock)

    async def story() -> None:
        await begin(desk)
        desk.model.says("I have paid.")
        desk.model.says("It is paid.")
        decision = ApprovalDecision(call_id="0.0", verdict=Verdict.APPROVE)
        await desk.send(decision, "r_c", source="u_priya")
        await desk.until(r_1="input", r_c="input")
        await desk.manager.stop()

    asyncio.run(story())

    root = Rollout.objects.get(public_id="r_1")
    assert root.last_text == "It is paid."
    assert (root.tree_tokens, root.tokens_in + root.tokens_out) == (60, 30)
    assert desk.pay.ledger == ["r_c:0.0"]
    assert verify(connection, once={"pay"}) == []


def test_a_cancelled_tree_is_undone_and_rests(store, clock, helper):
    desk = Desk(store, clock)

    async def story() -> None:
        await begin(desk)
        desk.model.says("I have paid.")
        desk.model.says("It is paid.")
        await desk.send(ApprovalDecision(call_id="0.0", verdict=Verdict.APPROVE), "r_c", source="u_priya")
        await desk.until(r_1="input", r_c="input")
        await desk.send(RolloutCancelled(by="Maya"))
        await desk.until(r_1="cancelled", r_c="cancelled")
        async with asyncio.timeout(20):
            while await store.runnable("nobody else"):
                await asyncio.sleep(0.01)
        await desk.manager.stop()

    asyncio.run(story())

    assert desk.back.ledger == ["r_c:0.0:rollback"]
    assert not Rollout.objects.filter(due_at__isnull=False).exists()
    assert verify(connection, once={"pay", "pay_back"}) == []
