"""The failure chain: runtime.md, 6."""

from runtime.domain.events import RolloutCancelled, UserInput
from runtime.domain.tool import Access, ApprovalPolicy
from runtime.ports import ToolFailed
from tests.builders import tool

WRITE = Access.WRITE


def failing(name: str = "pay", **properties):
    held = tool(name, access=WRITE, **properties)
    held.answer = lambda args, context: ToolFailed("the bank is closed")
    return held


async def test_retries_with_recorded_attempts_then_the_fallback_and_the_model_is_told_in_words(start, model):
    pay, queue = failing(retries=2, fallback="queue"), tool("queue", access=WRITE)
    rollout = await start(pay, hidden=[queue])
    model.calls(("pay", {"x": "60"}))
    await rollout.receive(UserInput(content="pay"))

    started = [(one.role, one.tool, one.attempt) for one in rollout.payloads("tool.started")]
    assert started == [("call", "", 1), ("call", "", 2), ("call", "", 3), ("fallback", "queue", 1)]
    assert pay.ledger == ["r_1:0.0"] * 3
    assert queue.ledger == ["r_1:0.0:fallback"]
    [result] = rollout.payloads("tool.result")
    assert result.content == "pay failed: the bank is closed (3 attempts). queue was used instead:\ndone 60"
    assert result.status == "ok"


async def test_a_fallback_that_fails_too_says_both(start, model):
    pay, queue = failing(fallback="queue"), failing("queue")
    rollout = await start(pay, hidden=[queue])
    model.calls(("pay", {}))
    await rollout.receive(UserInput(content="pay"))
    [result] = rollout.payloads("tool.result")
    assert result.status == "error"
    assert "queue was used instead, and failed too" in result.content


async def test_a_fallback_that_needs_leave_is_not_used_behind_anybodys_back(start, model):
    pay, queue = failing(fallback="queue"), tool("queue", access=WRITE, approval=ApprovalPolicy("always"))
    rollout = await start(pay, hidden=[queue])
    model.calls(("pay", {}))
    await rollout.receive(UserInput(content="pay"))
    assert queue.ledger == []
    assert rollout.payloads("tool.result")[0].status == "error"


async def test_cancel_undoes_what_was_done_newest_first(start, model):
    pay, back = tool("pay", access=WRITE, rollback="back"), tool("back", access=WRITE)
    given = []
    back.answer = lambda args, context: given.append((context.call_id, dict(args))) or "undone"
    rollout = await start(pay, hidden=[back])
    model.calls(("pay", {"x": "1"}), ("pay", {"x": "2"}))
    await rollout.receive(UserInput(content="pay"))
    await rollout.post(RolloutCancelled(by="Priya"))
    await rollout.until(lambda: rollout.manager.running == 0)

    assert given == [("0.1", {"x": "2"}), ("0.0", {"x": "1"})]
    assert back.ledger == ["r_1:0.1:rollback", "r_1:0.0:rollback"]
    assert [one.role for one in rollout.payloads("tool.result")[2:]] == ["rollback"] * 2
    assert rollout.lifecycle == "cancelled"
    assert rollout.store.rows["r_1"].projection.wake_at == 0


async def test_nothing_is_undone_while_the_work_may_go_on(start, model):
    pay, back = tool("pay", access=WRITE, rollback="back"), tool("back", access=WRITE)
    rollout = await start(pay, hidden=[back])
    model.calls(("pay", {"x": "1"}))
    await rollout.receive(UserInput(content="pay"))
    assert back.ledger == []
