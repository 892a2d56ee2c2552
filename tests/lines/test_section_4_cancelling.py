"""`runtime.md`, section 4, "Cancelling": what an urgent event does to work in progress."""

import asyncio

import pytest

from runtime.domain.events import ResultStatus, SupervisorInstruction, UserInput, UserInterrupt
from runtime.domain.tool import Access, ApprovalPolicy
from runtime.ports import CallDelta, Chunk, Finished, OutputDelta, ThoughtDelta
from tests.builders import RunningRollout, ScriptedModel, tool
from tests.lines.commits import commits_of, types_of

ELSEWHERE = {
    "The model call in flight is cancelled for real": (
        "tests/engine/test_stop.py::test_the_model_call_is_really_cancelled"
    ),
    "(the connection to the provider is closed)": (
        "tests/acceptance/test_real_folder.py::test_stop_ends_the_generation_in_the_model_server"
    ),
    "the output text of the half-made answer that had been handed to the hub … becomes `agent.output`": (
        "tests/engine/test_stop.py::test_the_text_that_was_handed_out_is_kept_and_marked"
    ),
    "`cancelled` if it was not started, is `read`": (
        "tests/engine/test_stop.py::test_a_stop_cancels_running_reads_and_calls_that_were_not_started"
    ),
    "or is proven stopped": (
        "tests/engine/test_control.py::test_a_write_that_proves_that_it_did_nothing_is_cancelled_without_a_question"
    ),
    "else `unknown` (a question to a person then stands beside it)": (
        "tests/engine/test_stop.py::test_a_stop_of_a_running_write_is_unknown_and_a_person_is_asked"
    ),
    "those marked `on_interrupt: finish`, go on as asynchronous ones with a receipt": (
        "tests/engine/test_async_calls.py::test_a_sync_call_marked_to_finish_goes_on_behind_a_receipt"
    ),
    "a result that comes after its call has one is recorded as late, folded as a note and shown with the next batch": (
        "tests/engine/test_control.py::test_a_result_that_comes_after_the_stop_is_recorded_as_late"
    ),
    "and the model is called once with all of it, however many urgent events came": (
        "tests/engine/test_stop.py::test_many_urgent_events_cost_one_call_and_stand_last"
    ),
    "every append compares it: so the first commit wins everywhere, also across processes": (
        "tests/stores/suite.py::StoreSuite::test_an_urgent_event_makes_an_append_lose_until_it_is_known"
    ),
    "After 202 for a Stop no step is recorded": (
        "tests/engine/test_first_commit_wins.py::test_after_a_stop_no_step_is_recorded"
    ),
    "and no call that is not `read` starts before the Stop is in the trajectory": (
        "tests/engine/test_first_commit_wins.py::test_after_a_stop_no_call_that_is_not_read_starts"
    ),
    "An answer recorded before stays an answer": (
        "tests/engine/test_first_commit_wins.py::test_an_answer_that_was_recorded_before_stays_an_answer"
    ),
}

STOP = UserInterrupt(content="stop that")
URGENT = [STOP, UserInput(content="now", now=True), SupervisorInstruction(content="stop that")]


def half_made(model: ScriptedModel, *chunks: Chunk) -> None:
    """The first answer comes as far as that, and no further."""

    async def stream(request):
        model.requests.append(request)
        if len(model.requests) > 1:
            yield OutputDelta("As you like.")
        else:
            for chunk in chunks:
                yield chunk
            await asyncio.Event().wait()
        yield Finished()

    model.stream = stream


async def stopped(rollout: RunningRollout, pieces: int) -> None:
    """A turn that is stopped as soon as so many pieces were handed out."""
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: len(rollout.hub.deltas) == pieces)
    await rollout.receive(STOP)


def status_of(rollout: RunningRollout) -> dict[str, ResultStatus]:
    return {result.call_id: result.status for result in rollout.payloads("tool.result")}


@pytest.mark.parametrize("urgent", URGENT, ids=lambda payload: payload.type)
async def test_the_model_call_in_flight_or_the_running_synchronous_calls_are_cancelled(start, model, urgent):
    """The model call in flight is cancelled …, or the running synchronous calls are."""
    look = tool("look")
    look.gate = asyncio.Event()
    rollout = await start(look)
    model.calls(("look", {}))
    await rollout.post(UserInput(content="go"))
    await look.began.wait()
    [task] = rollout.actor.work.running.values()

    await rollout.receive(urgent)

    assert task.cancelled()
    assert status_of(rollout) == {"0.0": "cancelled"}


async def test_all_of_a_cut_is_one_transaction(rollout, model):
    """Then, in one transaction: …"""
    model.says("one two three", hold_after=2)
    await rollout.receive(UserInput(content="count"))
    await rollout.post(UserInput(content="more"))
    commits = commits_of(rollout)

    await rollout.receive(STOP)

    assert types_of(commits[0]) == ["agent.output", "step.aborted", "user.input", "user.interrupt"]


async def test_all_of_a_cut_of_calls_is_one_transaction(start, model):
    """Then, in one transaction: …"""
    look, pay = tool("look"), tool("pay", access=Access.WRITE)
    look.gate = asyncio.Event()
    rollout = await start(look, pay)
    model.calls(("look", {}), ("pay", {}))
    await rollout.post(UserInput(content="go"))
    await look.began.wait()
    await rollout.post(UserInput(content="more"))
    commits = commits_of(rollout)

    await rollout.receive(STOP)

    assert types_of(commits[0]) == ["tool.result", "tool.result", "user.input", "user.interrupt"]


async def test_a_blank_half_made_answer_leaves_nothing(rollout, model):
    """becomes `agent.output` with `interrupted: true` (nothing if blank)"""
    half_made(model, OutputDelta(" \n"))

    await stopped(rollout, 1)

    assert [said.content for said in rollout.payloads("agent.output")] == ["As you like."]


async def test_half_made_thoughts_and_calls_are_dropped_and_never_run(start, model):
    """half-made thoughts and calls are dropped and never run"""
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay)
    half_made(model, ThoughtDelta("I pay"), CallDelta(0, "pay", '{"x": "1"}'), CallDelta(1, "pay", '{"x": '))

    await stopped(rollout, 3)

    assert rollout.payloads("agent.thought") == rollout.payloads("tool.request") == pay.ledger == []


async def test_step_aborted_keeps_estimated_figures(rollout, model):
    """`step.aborted` keeps estimated figures"""
    half_made(model, OutputDelta("a dozen words"))

    await stopped(rollout, 1)

    [aborted] = rollout.payloads("step.aborted")
    assert (aborted.why, aborted.retryable, aborted.tokens_out) == ("urgent", False, 3)
    assert aborted.tokens_in > 0


async def test_each_open_call_that_the_event_covers_gets_its_one_result(start, model):
    """each *open* synchronous call that the event covers gets its one `tool.result`"""
    quick, slow, pay = tool("quick"), tool("slow"), tool("pay", access=Access.WRITE)
    slow.gate = asyncio.Event()
    rollout = await start(quick, slow, pay)
    model.calls(("quick", {}), ("slow", {}), ("pay", {}))
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: "tool.result" in rollout.types())

    await rollout.receive(STOP)

    assert rollout.types().count("tool.result") == 3
    assert status_of(rollout) == {"0.0": "ok", "0.1": "cancelled", "0.2": "cancelled"}


async def test_open_calls_that_it_does_not_cover_go_on_as_asynchronous_ones_with_a_receipt(start, model):
    """open calls that it does not cover … go on as asynchronous ones with a receipt"""
    pay = tool("pay", access=Access.WRITE, approval=ApprovalPolicy("always"))
    rollout = await start(pay)
    model.calls(("pay", {}))
    await rollout.receive(UserInput(content="go"))

    await rollout.receive(SupervisorInstruction(content="be quick"))

    assert status_of(rollout) == {}
    assert model.requests[1].messages[-2]["content"].startswith("Not done yet: a person has to decide.")
    assert [call.id for call in rollout.state.detached] == ["0.0"]


async def test_the_queue_stands_in_order_of_arrival_and_the_urgent_event_last(rollout, model):
    """3. the queue in order of arrival, and last the urgent event"""
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    for word in ("red", "green"):
        await rollout.post(UserInput(content=word))

    await rollout.receive(STOP)

    contents = [event.payload.content for event in rollout.trajectory() if event.payload.wakes]
    assert contents == ["count", "red", "green", "stop that"]


@pytest.mark.parametrize(("payload", "raises"), [*((urgent, 1) for urgent in URGENT), (UserInput(content="later"), 0)])
async def test_accepting_an_urgent_event_raises_urgent_on_the_rollouts_row(rollout, payload, raises):
    """Accepting an urgent event raises `urgent` on the rollout's row"""
    await rollout.post(payload)

    assert rollout.store.rows[rollout.id].urgent == raises
