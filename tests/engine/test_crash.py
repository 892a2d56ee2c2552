"""A worker that dies between any two appends: the next one goes on, and nothing recorded is asked or run again."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from runtime.domain.events import ApprovalDecision, RolloutCancelled, UserInput, Verdict
from runtime.domain.tool import Access
from runtime.domain.trajectory import Event
from runtime.ports import Append, Appended, Lost
from runtime.stores.in_process import InProcessStore
from tests.builders import RunningRollout, ScriptedModel, start_rollout, tool
from tests.equal import normalised


class Died(BaseException):
    """The worker is no more."""


@dataclass(slots=True)
class DyingAt:
    """Kills the worker at its n-th append, before or after the commit."""

    number: int
    after_commit: bool
    appends: int = 0


class ScriptedBySteps(ScriptedModel):
    """Answers by what it is shown, so that a step asked again is answered alike."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: dict[int, list[str]] = {}

    async def stream(self, request):
        results = sum(message["role"] == "tool" for message in request.messages)
        replies = sum(message["role"] == "assistant" for message in request.messages)
        self.shown[replies] = [str(message["content"]) for message in request.messages]
        assert results >= 0
        script = {
            0: ("look", [("look", {"x": "a"}), ("look", {"x": "b"})]),
            1: ("", [("save", {"x": "1"})]),
            2: ("", [("look", {"x": "c"}), ("save", {"x": "2"})]),
            3: ("", [("look", {"x": "d"})]),
            4: ("", [("save", {"x": "3"})]),
        }
        text, calls = script.get(replies, ("all done", []))
        self.parts.clear()
        if calls:
            self.calls(*calls, text=text)
        else:
            self.says(text)
        async for chunk in super().stream(request):
            yield chunk


def dying(store: InProcessStore, dies: DyingAt) -> None:
    """Lets the store's n-th append take the worker with it."""
    append = store.append

    async def append_or_die(change: Append) -> Appended | Lost:
        dies.appends += 1
        if dies.appends == dies.number and not dies.after_commit:
            raise asyncio.CancelledError
        answer = await append(change)
        if dies.appends == dies.number:
            raise asyncio.CancelledError
        return answer

    store.append = append_or_die  # the store is a real one; only its caller dies


async def play(dies: DyingAt | None, *, idempotent: bool = True) -> tuple[RunningRollout, list[str], ScriptedBySteps]:
    model = ScriptedBySteps()
    look = tool("look")
    save = tool("save", access=Access.WRITE, idempotent=idempotent)
    rollout = await start_rollout(model, look, save)
    if dies is not None:
        dying(rollout.store, dies)
    await rollout.post(UserInput(content="go"))
    await rollout.post(UserInput(content="and this"))
    await until_rest(rollout)
    await rollout.manager.stop()
    return rollout, save.ledger, model


async def until_rest(rollout: RunningRollout) -> None:
    """At rest, where a dead worker is replaced by the next."""
    async with asyncio.timeout(10):
        while True:
            await rollout.rest()
            if rollout.manager._owned or rollout.lifecycle in ("waiting (input)", "waiting (approval)"):
                pending = (await rollout.store.queue("r_1")).pending
                if not pending and rollout.lifecycle.startswith("waiting"):
                    return
            rollout.store.rows["r_1"].owner = ""
            rollout.manager.nudge("r_1")
            await asyncio.sleep(0)


@pytest.mark.parametrize("after_commit", [False, True])
async def test_an_undoing_that_was_cut_off_is_begun_again_with_the_next_number(after_commit):
    for number in range(1, 12):
        pay = tool("pay", access=Access.WRITE, idempotent=True, rollback="back")
        back = tool("back", access=Access.WRITE, idempotent=True)
        model = ScriptedModel()
        rollout = await start_rollout(model, pay, hidden=[back])
        model.calls(("pay", {"x": "60"}))
        await rollout.post(UserInput(content="pay"))
        await until_rest(rollout)
        dying(rollout.store, DyingAt(number, after_commit))
        await rollout.post(RolloutCancelled(by="Priya"))
        await until_undone(rollout)

        attempts = [one.attempt for one in rollout.payloads("tool.started") if one.role == "rollback"]
        assert attempts == list(range(1, len(attempts) + 1)), f"killed at append {number}"
        assert set(back.ledger) == {"r_1:0.0:rollback"}
        await rollout.manager.stop()


async def test_what_happened_by_a_persons_word_is_undone_too():
    pay = tool("pay", access=Access.WRITE, rollback="back")
    back = tool("back", access=Access.WRITE)
    model = ScriptedModel()
    rollout = await start_rollout(model, pay, hidden=[back])
    dying(rollout.store, DyingAt(3, after_commit=False))  # its result is not recorded
    model.calls(("pay", {"x": "60"}))
    await rollout.post(UserInput(content="pay"))
    await until_rest(rollout)
    assert rollout.payloads("approval.request")[0].why == "unknown_outcome"

    await rollout.post(ApprovalDecision(call_id="0.0", verdict=Verdict.HAPPENED, result="paid 60", by="Priya"))
    await until_rest(rollout)
    await rollout.post(RolloutCancelled(by="Priya"))
    await until_undone(rollout)

    assert (pay.ledger, back.ledger) == (["r_1:0.0"], ["r_1:0.0:rollback"])
    await rollout.manager.stop()


async def until_undone(rollout: RunningRollout) -> None:
    """Cancelled, with nothing left to undo, where a dead worker is replaced by the next."""
    async with asyncio.timeout(10):
        while rollout.lifecycle != "cancelled" or rollout.store.rows["r_1"].projection.wake_at:
            rollout.store.rows["r_1"].owner = ""
            rollout.manager.nudge("r_1")
            await asyncio.sleep(0)


def calls_once(ledger: Sequence[str]) -> bool:
    return len(set(ledger)) == len(ledger)


async def test_the_uninterrupted_turn_is_what_it_should_be():
    rollout, ledger, _ = await play(None)

    assert ledger == ["r_1:1.0", "r_1:2.1", "r_1:4.0"]
    assert rollout.payloads("agent.output")[-1].content == "all done"


@pytest.mark.parametrize("after_commit", [False, True])
async def test_every_crash_leads_to_an_equal_trajectory(after_commit):
    whole, ledger, model = await play(None)
    appends = count_appends(whole.trajectory())
    wanted, shown = normalised(whole.trajectory()), model.shown

    for number in range(1, appends + 1):
        rollout, again, seen = await play(DyingAt(number, after_commit))

        assert normalised(rollout.trajectory()) == wanted, f"killed at append {number}"
        assert seen.shown == shown, f"killed at append {number}"
        assert set(again) == set(ledger)


def count_appends(trajectory: Sequence[Event]) -> int:
    """At least as many as there were: events share an append."""
    return len(trajectory)


@pytest.mark.parametrize("after_commit", [False, True])
async def test_a_write_that_is_not_idempotent_never_runs_twice_and_is_asked_about_once(after_commit):
    for number in range(1, 30):
        rollout, ledger, _ = await play(DyingAt(number, after_commit), idempotent=False)

        assert calls_once(ledger), f"killed at append {number}"
        questions = rollout.payloads("approval.request")
        assert len(questions) <= 1
        started = {payload.call_id for payload in rollout.payloads("tool.started")}
        assert all(question.call_id in started for question in questions)


async def test_it_happened_leads_to_an_equal_trajectory():
    whole, _, _ = await play(None, idempotent=False)
    wanted = normalised(whole.trajectory())
    asked = 0
    for number in range(1, 30):
        model = ScriptedBySteps()
        look, save = tool("look"), tool("save", access=Access.WRITE)
        rollout = await start_rollout(model, look, save)
        dying(rollout.store, DyingAt(number, after_commit=True))
        await rollout.post(UserInput(content="go"))
        await rollout.post(UserInput(content="and this"))
        await until_rest(rollout)
        if questions := rollout.payloads("approval.request"):
            asked += 1
            call = rollout.state.call(questions[0].call_id)
            done = f"done {call.request.args['x']}"
            decision = ApprovalDecision(call_id=call.id, verdict=Verdict.HAPPENED, result=done)
            await rollout.post(decision)
            await until_rest(rollout)
        facts = normalised(rollout.trajectory(), without=("approval.request", "approval.decision"))
        await rollout.manager.stop()

        assert facts == wanted, f"killed at append {number}"
    assert asked >= 3
