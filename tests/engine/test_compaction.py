"""Long histories: the oldest whole turns become a summary, never a silent cut, never an orphaned result."""

from runtime.domain.agent import Window
from runtime.domain.events import StepAborted, ThoughtKind, UserInput, UserInterrupt
from runtime.ports import ModelError
from tests.builders import tool
from tests.domain.test_fold import problem_of

LONG = "words " * 75  # about 100 tokens
NARROW = Window(tokens=900, compact_at=0.8, keep_turns=2)
TOO_LONG = ModelError("The prompt is too long.", kind="context_too_long", retryable=False)


async def talk(rollout, model, turns: int) -> None:
    for number in range(turns):
        model.says(f"answer {number} {LONG}")
        await rollout.receive(UserInput(content=f"question {number} {LONG}", name="Maya"))


def text_of(request) -> str:
    return "\n".join(str(message.get("content")) for message in request.messages)


async def test_near_the_window_the_oldest_turns_become_a_summary_and_the_events_stay(start, model):
    rollout = await start(window=NARROW)
    await talk(rollout, model, 3)
    model.says("They spoke of three things.")
    model.says("the fourth answer")

    await rollout.receive(UserInput(content="question 3 " + LONG, name="Maya"))

    [compaction] = rollout.payloads("context.compacted")
    [summary] = [event for event in rollout.trajectory() if event.type == "agent.thought"]
    assert (summary.payload.kind, summary.seq) == (ThoughtKind.SUMMARY, compaction.summary_seq)
    assert len(rollout.payloads("user.input")) == 4
    task, shown = model.requests[-2:]
    assert "Write a summary" in text_of(task)
    assert task.withhold_tools
    assert "question 0" in text_of(task)
    assert "question 3" not in text_of(task)
    assert "They spoke of three things." in text_of(shown)
    assert "question 0" not in text_of(shown)
    assert "question 2" in text_of(shown)
    assert "question 3" in text_of(shown)
    assert rollout.payloads("agent.output")[-1].content == "the fourth answer"


async def test_a_summary_is_not_spoken_to_anybody(start, model):
    rollout = await start(window=NARROW)
    await talk(rollout, model, 3)
    model.says("secret summary")

    await rollout.receive(UserInput(content=LONG, name="Maya"))

    assert not any("secret" in text or "summary" in text for _, _, _, text in rollout.hub.deltas)
    assert all("secret" not in output.content for output in rollout.payloads("agent.output"))


async def test_a_step_that_summarises_does_not_count_as_a_step_of_the_turn(start, model):
    rollout = await start(window=NARROW)
    await talk(rollout, model, 3)
    model.says("summary")

    await rollout.receive(UserInput(content=LONG, name="Maya"))

    assert rollout.state.turn.steps == 1


async def test_calls_and_their_results_are_never_parted(start, model):
    look = tool("look")
    look.answer = lambda args, context: LONG
    rollout = await start(look, window=NARROW)
    for number in range(12):
        model.calls(("look", {"x": str(number)}), ("look", {"x": "again"}))
        model.says("seen")
        await rollout.receive(UserInput(content=f"look {number}", name="Maya"))

    assert rollout.payloads("context.compacted")
    for request in model.requests:
        assert problem_of(request.messages) == ""


async def test_a_summary_that_is_no_help_is_not_asked_for_again_and_again(start, model):
    rollout = await start(window=NARROW)
    await talk(rollout, model, 3)
    before = len(model.requests)
    model.says("")
    model.says("done")

    await rollout.receive(UserInput(content=LONG, name="Maya"))

    assert len(model.requests) == before + 2
    assert rollout.payloads("context.compacted") == []
    assert rollout.payloads("agent.output")[-1].content == "done"


async def test_a_summary_longer_than_what_it_replaces_replaces_nothing(start, model):
    rollout = await start(window=NARROW)
    await talk(rollout, model, 3)
    model.says("blah " * 2000)
    model.says("done")

    await rollout.receive(UserInput(content=LONG, name="Maya"))

    assert rollout.payloads("context.compacted") == []
    assert rollout.payloads("agent.output")[-1].content == "done"


async def test_what_does_not_fit_at_all_is_refused_in_words_and_never_cut(start, model):
    rollout = await start(window=NARROW)

    await rollout.receive(UserInput(content="words " * 2000, name="Maya"))

    [failed] = rollout.payloads("rollout.failed")
    assert "does not fit into what the model can read" in failed.error
    assert "900" in failed.error
    assert model.requests == []


async def test_a_provider_that_says_too_long_is_shown_less(start, model):
    rollout = await start()
    await talk(rollout, model, 3)
    model.fails(TOO_LONG)
    model.says("summary")
    model.says("now it fits")

    await rollout.receive(UserInput(content="and this?", name="Maya"))

    assert len(rollout.payloads("context.compacted")) == 1
    assert rollout.payloads("agent.output")[-1].content == "now it fits"
    assert "and this?" in text_of(model.requests[-1])


async def test_a_provider_that_always_says_too_long_is_not_asked_for_ever(start, model):
    rollout = await start()
    await talk(rollout, model, 3)
    before = len(model.requests)
    model.fails(TOO_LONG)
    model.says("summary")
    for _ in range(10):
        model.fails(TOO_LONG)

    await rollout.receive(UserInput(content="and this?", name="Maya"))

    assert rollout.payloads("rollout.failed")[-1].error == "The prompt is too long."
    assert len(model.requests) - before <= 4


async def test_a_stop_during_a_summary_leaves_nothing_of_it(start, model):
    rollout = await start(window=NARROW, account_after_stop=False)
    await talk(rollout, model, 3)
    model.says("half a summary", hold_after=1)
    await rollout.post(UserInput(content=LONG, name="Maya"))
    await model.holding()

    await rollout.receive(UserInterrupt(name="Maya"))

    assert not any(output.interrupted for output in rollout.payloads("agent.output"))
    assert rollout.payloads("context.compacted") == []


async def test_a_crash_during_a_summary_asks_the_one_unrecorded_call_again(start, model):
    rollout = await start(window=NARROW)
    await talk(rollout, model, 3)
    model.says("half a summary", hold_after=1)
    await rollout.post(UserInput(content=LONG, name="Maya"))
    await model.holding()
    await rollout.manager.stop()
    before = len(model.requests)
    model.says("a whole summary")
    model.says("done")

    await rollout.manager.start()
    rollout.manager.nudge(rollout.id)
    await rollout.until(lambda: rollout.types()[-1] == "step.completed" and len(model.requests) == before + 2)

    assert [aborted.why for aborted in rollout.payloads("step.aborted")] == ["restart"]
    assert isinstance(rollout.payloads("step.aborted")[0], StepAborted)
    assert model.requests[before].messages == model.requests[before - 1].messages
    assert len(rollout.payloads("context.compacted")) == 1


async def test_a_summary_takes_over_the_one_before_it(start, model):
    rollout = await start(window=NARROW)
    for number in range(10):
        await rollout.receive(UserInput(content=f"question {number} {LONG}", name="Maya"))
        if model.requests[-1].withhold_tools:
            break

    assert len(rollout.payloads("context.compacted")) >= 1
    ranges = [(one.from_seq, one.to_seq) for one in rollout.payloads("context.compacted")]
    assert ranges == sorted(ranges)
