"""The checker finds what ran without leave, and agents that do not hear of each other: recorded so on purpose."""

import asyncio

import pytest
from django.db import connection

from runtime.domain.arguments import args_sha256
from runtime.domain.events import (
    AgentInvocation,
    ApprovalDecision,
    ApprovalRequest,
    ApprovalWhy,
    StateUpdate,
    StepCompleted,
    StepStarted,
    TimerSet,
    TimerTrigger,
    ToolRequest,
    ToolResult,
    ToolRole,
    ToolStarted,
    Verdict,
)
from runtime.domain.trajectory import AGENT, Draft
from studio.store import DjangoStore
from studio.verify import verify
from tests.stores.builders import new_child, new_rollout, owned

ARGS = {"amount": 60}
SHA256 = args_sha256("pay", ARGS)
STARTED = Draft(StepStarted(model="m", seen=1, prompt_sha256="0" * 64), step=0)
REQUEST = Draft(ToolRequest(call_id="0.0", tool="pay", args=ARGS), AGENT, step=0)
DONE = Draft(StepCompleted(), step=0)
BEGUN = Draft(ToolStarted(call_id="0.0"), step=0)
PAID = Draft(ToolResult(call_id="0.0", content="paid"), step=0)


def asked(needed: int = 1, requested_by: str = "") -> Draft:
    question = ApprovalRequest(
        call_id="0.0",
        why=ApprovalWhy.POLICY,
        tool="pay",
        args_sha256=SHA256,
        needed=needed,
        requested_by=requested_by,
    )
    return Draft(question, step=0)


def approved(by: str, args: dict[str, int] | None = None, sha256: str = SHA256) -> Draft:
    return Draft(
        ApprovalDecision(call_id="0.0", verdict=Verdict.APPROVE, edited_args=args, args_sha256=sha256), by, step=0
    )


@pytest.fixture
def recorded(writer, clock):
    """Records a step with these events behind it; what the checker finds."""
    store = DjangoStore(writer)

    async def record(*behind: Draft) -> None:
        await store.create(new_rollout())
        owner = await owned(store, clock)
        await owner.record(STARTED, REQUEST, DONE, *behind)

    def find(*behind: Draft) -> set[str]:
        asyncio.run(record(*behind))
        return {finding.check for finding in verify(connection, once={"pay"})} - {"waking"}

    return find


EDITED = args_sha256("pay", {"amount": 75})


@pytest.mark.parametrize(
    "behind",
    [
        [asked(), approved("u_priya")],
        [asked(2), approved("u_priya"), approved("u_otto")],
        [asked(), approved("u_priya", {"amount": 75})],
        [asked(2), approved("u_otto"), approved("u_priya", {"amount": 75}), approved("u_otto", sha256=EDITED)],
    ],
)
def test_a_call_with_leave_is_well(recorded, behind):
    assert recorded(*behind, BEGUN, PAID) == set()


@pytest.mark.parametrize(
    "behind",
    [
        [asked()],
        [asked(), approved("u_priya", sha256="0" * 64)],
        [asked(2), approved("u_priya"), approved("u_priya")],
        [asked(requested_by="u_maya"), approved("u_maya")],
        [asked(2), approved("u_otto"), approved("u_priya", {"amount": 75})],
        [asked(), Draft(ApprovalDecision(call_id="0.0", verdict=Verdict.DENY), "u_priya", step=0)],
    ],
)
def test_a_call_without_the_leave_that_it_needs_is_found(recorded, behind):
    assert recorded(*behind, BEGUN, PAID) == {"approvals"}


@pytest.mark.parametrize(
    "behind",
    [
        [BEGUN, PAID, Draft(ToolStarted(call_id="0.0", role=ToolRole.ROLLBACK, tool="pay_back"), step=0)],
        [BEGUN, PAID, Draft(StateUpdate(call_id="0.0", to_state="paid", result="moved"), step=0)],
    ],
)
def test_a_call_that_goes_on_after_its_end_is_found(recorded, behind):
    assert "calls" in recorded(*behind)


@pytest.mark.parametrize(("child", "call_id"), [("r_none", "0.0"), ("r_c", "0.0"), ("r_c", "0.1")])
def test_an_invocation_whose_agent_is_not_there_or_has_no_task_is_found(writer, clock, child, call_id):
    store = DjangoStore(writer)
    invoked = AgentInvocation(
        call_id=call_id, tool="invoke_it", agent="it", agent_version=1, task="t", child_rollout=child
    )

    async def record() -> None:
        await store.create(new_rollout())
        owner = await owned(store, clock)
        await owner.record(STARTED, Draft(invoked, AGENT, step=0), DONE, children=[new_child("r_c")])

    asyncio.run(record())

    assert "tree" in {finding.check for finding in verify(connection)}


def test_a_timer_that_nobody_set_is_found(recorded):
    assert recorded(BEGUN, PAID, Draft(TimerTrigger(timer_id="t_1"))) == {"timers"}


def test_a_timer_for_which_nobody_wakes_is_found(writer, clock):
    store = DjangoStore(writer)
    timer = TimerSet(call_id="0.0", tool="set_timer", timer_id="t_1", due_at=5, result="set")

    async def record() -> None:
        await store.create(new_rollout())
        owner = await owned(store, clock)
        owner.shown["wake_at"] = 6
        await owner.record(STARTED, Draft(timer, AGENT, step=0), DONE)

    asyncio.run(record())

    assert {finding.check for finding in verify(connection)} == {"timers"}
