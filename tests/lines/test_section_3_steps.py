"""`runtime.md`, section 3: what is recorded of a step, and when."""

from runtime.domain.events import UserInput
from runtime.domain.tool import Access
from runtime.ports import Append, CallDelta, Finished, OutputDelta, ThoughtDelta
from tests.builders import tool
from tests.lines.commits import before_commit, commits_of, types_of

ELSEWHERE = {
    "A step is recorded whole … or not at all": (
        "tests/engine/test_model_failures.py::test_a_broken_stream_is_never_half_recorded"
    ),
    "an event that arrives while it speaks has not been answered, and must be answered by a further step": (
        "tests/engine/test_queue.py::test_an_event_that_arrives_while_the_model_speaks_has_not_been_answered"
    ),
    "its answer is not accepted without it": ("tests/domain/test_apply.py::test_a_step_cannot_end_before_it_began"),
}


async def test_a_step_is_recorded_whole_in_one_transaction(start, model):
    """A step is recorded whole: its thoughts, actions and `step.completed` in one transaction or not at all."""

    async def stream(request):
        if len(request.messages) > 2:
            yield OutputDelta("done")
        else:
            yield ThoughtDelta("I had better look")
            yield OutputDelta("I look")
            yield CallDelta(0, "look", "{}")
        yield Finished()

    model.stream = stream
    rollout = await start(tool("look"))
    commits = commits_of(rollout)

    await rollout.receive(UserInput(content="go"))

    whole = ["agent.thought", "agent.output", "tool.request", "step.completed"]
    assert whole in [types_of(change)[:4] for change in commits]


async def test_seen_is_the_seq_up_to_which_the_model_was_shown_the_trajectory(rollout):
    """`seen` is the seq up to which the model was shown the trajectory"""
    await rollout.receive(UserInput(content="first"))
    await rollout.receive(UserInput(content="second"))

    started = [event for event in rollout.trajectory() if event.type == "step.started"]
    assert [event.payload.seen for event in started] == [event.seq - 1 for event in started]


async def test_a_batch_is_the_waking_events_between_two_seen_and_is_numbered(rollout, model):
    """A batch is the waking events between two `seen`; several in one batch are marked `[1/3]`, `[2/3]` …"""
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))
    for word in ("red", "green", "blue"):
        await rollout.post(UserInput(content=word, name="Maya"))
    model.go()
    await rollout.rest()

    assert model.requests[0].messages[-1]["content"] == "<message>count</message>"
    assert model.requests[1].messages[-1]["content"].split("\n\n") == [
        '<message from="Maya" n="1/3">red</message>',
        '<message from="Maya" n="2/3">green</message>',
        '<message from="Maya" n="3/3">blue</message>',
    ]


async def test_an_event_is_written_before_it_is_shown(rollout):
    """An event is written before it is shown."""
    shown_early = []

    def note_what_is_shown(change: Append) -> None:
        shown = {event.seq for event in rollout.hub.events}
        shown_early.extend(event.seq for event in change.events if event.seq in shown)

    before_commit(rollout, note_what_is_shown)

    await rollout.receive(UserInput(content="go"))

    assert shown_early == []
    assert [event.seq for event in rollout.hub.events] == [2, 3, 4, 5]


async def test_an_event_is_committed_to_the_queue_before_its_sender_is_told(rollout, model):
    """Awaited commits: accepting"""
    model.says("one two", hold_after=1)
    await rollout.receive(UserInput(content="count"))

    event_id = await rollout.post(UserInput(content="later"))

    assert [item.id for item in (await rollout.store.queue(rollout.id)).pending] == [event_id]


async def test_a_step_is_committed_before_anything_of_it_is_dispatched(start, model):
    """Awaited commits: … a step before anything of it is dispatched"""
    look = tool("look")
    rollout = await start(look)
    model.calls(("look", {}))
    ran_early = []

    def note_what_ran(change: Append) -> None:
        if any(event.type == "tool.request" for event in change.events):
            ran_early.append(list(look.ledger))

    before_commit(rollout, note_what_ran)

    await rollout.receive(UserInput(content="go"))

    assert (ran_early, look.ledger) == ([[]], ["r_1:0.0"])


async def test_tool_started_is_committed_before_an_attempt_of_a_call_that_is_not_read(start, model):
    """Awaited commits: … `tool.started` before an attempt of a call that is not `read`"""
    pay = tool("pay", access=Access.WRITE)
    rollout = await start(pay)
    model.calls(("pay", {}))
    ran_early = []

    def note_what_ran(change: Append) -> None:
        if any(event.type == "tool.started" for event in change.events):
            ran_early.append(list(pay.ledger))

    before_commit(rollout, note_what_ran)

    await rollout.receive(UserInput(content="go"))

    assert (ran_early, pay.ledger) == ([[]], ["r_1:0.0"])


async def test_the_result_of_a_call_that_is_not_read_is_committed_at_once(start, model):
    """Awaited commits: … the result of such a call at once"""
    pay, post = tool("pay", access=Access.WRITE), tool("post", access=Access.WRITE)
    rollout = await start(pay, post)
    recorded = []
    post.answer = lambda args, context: recorded.extend(rollout.payloads("tool.result"))
    model.calls(("pay", {}), ("post", {}))

    await rollout.receive(UserInput(content="go"))

    assert [result.call_id for result in recorded] == ["0.0"]
