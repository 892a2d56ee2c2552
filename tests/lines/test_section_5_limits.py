"""`runtime.md`, section 5: limits and budgets."""

import asyncio

import pytest

from runtime.domain.agent import Agent, Limits
from runtime.domain.events import (
    LimitKind,
    ResultStatus,
    RolloutResumed,
    UserInput,
    UserInterrupt,
)
from tests.builders import tool
from tests.engine.test_children import Models

ELSEWHERE = {
    "`max_steps` 25 · `max_tool_calls` 10 · `max_concurrent_tools` 4 · `max_depth` 4, `max_children` 8": (
        "tests/domain/test_agent_file.py::test_the_smallest_file_has_every_default"
    ),
    "calls above it are not started, they get a `limit` result, and the model is called once more without tools": (
        "tests/engine/test_limits.py::test_calls_over_the_limit_are_not_started_and_an_answer_is_forced"
    ),
    "which is never empty": "tests/engine/test_limits.py::test_the_forced_answer_is_never_empty",
    "`max_steps` ends likewise": "tests/engine/test_limits.py::test_steps_have_a_limit",
    "`max_depth`": "tests/engine/test_children.py::test_agents_may_not_call_one_another_deeper_than_the_limit",
    "reserved in the root's row": (
        "tests/stores/suite_of_trees.py::TreeSuite::test_two_appends_race_for_the_last_of_a_budget_and_one_wins"
    ),
    "what does not fit pauses before the call and asks": (
        "tests/engine/test_budgets.py::test_what_does_not_fit_pauses_before_the_call_and_asks"
    ),
    "with an unknown price no USD budget can be published": (
        "tests/domain/test_agent_file_checks.py::test_a_budget_in_dollars_needs_models_of_known_price"
    ),
    "the same call with the same arguments three times in a row: that call's result says so; five times: pause": (
        "tests/engine/test_limits.py::test_the_third_same_call_is_told_and_the_fifth_pauses"
    ),
    "New input from a person resets the per-turn counts": (
        "tests/engine/test_limits.py::test_new_input_resets_the_counts"
    ),
}


async def test_framework_calls_do_not_count_as_tool_calls(start, model):
    """framework calls do not count as tool calls"""
    look = tool("look")
    rollout = await start(look, framework=True, limits=Limits(max_tool_calls=1))
    model.calls(("note", {"content": "a"}), ("note", {"content": "b"}), ("look", {}))

    await rollout.receive(UserInput(content="go"))

    assert look.ledger == ["r_1:0.2"]
    assert rollout.payloads("limit.reached") == []


async def test_at_the_limit_of_steps_the_answer_is_forced_once_and_never_empty(start, model):
    """`max_steps` ends likewise"""
    rollout = await start(tool("look"), limits=Limits(max_steps=1))
    model.calls(("look", {}))
    model.says("")
    model.says("")

    await rollout.receive(UserInput(content="go"))

    assert [request.withhold_tools for request in model.requests] == [False, True, True]
    assert "It had taken the 1 steps" in rollout.payloads("agent.output")[-1].content


async def test_the_forced_answer_names_the_limit_that_a_person_has_raised(start, model):
    """a final answer, which is never empty"""
    rollout = await start(tool("look"), limits=Limits(max_tool_calls=1))
    await rollout.receive(RolloutResumed(by="Priya", reason="limit", limits={"max_tool_calls": 2}))
    model.calls(*(("look", {"x": str(number)}) for number in range(3)))
    model.says("")
    model.says("")

    await rollout.receive(UserInput(content="go"))

    assert "the 2 tool calls that it may make" in rollout.payloads("agent.output")[-1].content


@pytest.mark.parametrize(("limit", "at_once"), [(4, 4), (1, 1)])
async def test_no_more_reads_run_at_once_than_the_file_says(start, model, limit, at_once):
    """`max_concurrent_tools` 4 (1 = one after another)"""
    running, most = 0, 0
    look = tool("look")

    async def body(args, context):
        nonlocal running, most
        running, most = running + 1, max(most, running + 1)
        for _ in range(20):
            await asyncio.sleep(0)
        running -= 1
        return "seen"

    look.body = body
    rollout = await start(look, limits=Limits(max_concurrent_tools=limit))
    model.calls(*(("look", {"x": str(number)}) for number in range(6)))

    await rollout.receive(UserInput(content="go"))

    assert most == at_once
    assert len(rollout.payloads("tool.result")) == 6


def test_a_tool_has_60_seconds_unless_it_says_otherwise():
    """tool `timeout` 60 s"""
    assert tool("look").spec.timeout_seconds == 60


async def test_no_more_agents_work_for_one_than_the_limit(start_many):
    """`max_children` 8"""
    models = Models("scripted", "helper")
    rollout = await start_many(
        models, others=[Agent(name="helper", model="helper")], limits=Limits(max_children=2, max_tool_calls=1)
    )
    models.scripted.calls(*(("invoke_helper", {"task": str(number)}) for number in range(3)))

    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: len(models.scripted.requests) == 2)

    assert [(result.call_id, result.status) for result in rollout.payloads("tool.result")] == [
        ("0.2", ResultStatus.LIMIT)
    ]
    assert len(rollout.payloads("agent.invocation")) == 2


# ------------------------------------------------------------------------------------------------ budget


async def test_prompt_and_the_longest_answer_are_reserved_before_each_call(start, model):
    """prompt + max_tokens are reserved in the root's row before each call"""
    rollout = await start(limits=Limits(budget_tokens=100_000), settings={"max_tokens": 100})
    model.says("one two", hold_after=1)

    await rollout.receive(UserInput(content="a" * 4000))

    reserved = rollout.store.rows["r_1"].projection.reserved_tokens
    assert 1100 <= reserved < 1300
    assert rollout.payloads("step.started")[0].reserved_tokens == reserved
    model.go()


async def test_a_budget_holds_for_the_whole_tree(start_many):
    """`budget` (tokens, USD) over the tree of a rollout"""
    models = Models("scripted", "helper")
    helper = Agent(name="helper", model="helper", settings={"max_tokens": 1500})
    rollout = await start_many(models, others=[helper], limits=Limits(budget_tokens=1000), settings={"max_tokens": 100})
    models.scripted.calls(("invoke_helper", {"task": "look"}))

    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: "r_2" in rollout.store.rows and rollout.other("r_2").lifecycle == "paused")

    [reached] = rollout.other("r_2").payloads("limit.reached")
    assert (reached.what, reached.limit) == (LimitKind.BUDGET_TOKENS, 1000)
    assert models.helper.requests == []


async def test_an_aborted_call_is_charged_by_estimate_and_marked_so(start, model):
    """an aborted call is charged by estimate, marked so"""
    rollout = await start(limits=Limits(budget_tokens=100_000, budget_usd=100.0), prices={"scripted": (0.001, 0.002)})
    model.says("one two three four five six", hold_after=4)
    await rollout.receive(UserInput(content="a" * 4000))
    await model.holding()

    await rollout.receive(UserInterrupt(respond=False))

    [aborted] = rollout.payloads("step.aborted")
    assert 1000 <= aborted.tokens_in < 1200
    assert aborted.tokens_out == len("one two three four ") // 4
    assert aborted.cost_usd == pytest.approx(aborted.tokens_in * 0.001 + aborted.tokens_out * 0.002)
    shown = rollout.store.rows["r_1"].projection
    assert (shown.tokens_in, shown.tokens_out, shown.cost_usd) == (
        aborted.tokens_in,
        aborted.tokens_out,
        aborted.cost_usd,
    )


# ------------------------------------------------------------------------------------------------ counts of a turn


async def counting(start, model):
    """A rollout in a turn that has made the one tool call that it may make, and speaks."""
    look = tool("look")
    rollout = await start(look, limits=Limits(max_tool_calls=1))
    model.calls(("look", {}))
    model.says("one two three", hold_after=2)
    await rollout.receive(UserInput(content="go"))
    await model.holding()
    model.calls(("look", {"x": "2"}))
    return rollout, look


async def test_an_interrupt_with_text_resets_the_counts(start, model):
    """also an interrupt with text, resets the per-turn counts"""
    rollout, look = await counting(start, model)

    await rollout.receive(UserInterrupt(content="look again"))

    assert len(look.ledger) == 2
    assert rollout.payloads("limit.reached") == []


async def test_a_bare_stop_does_not_reset_the_counts(start, model):
    """a bare stop does not"""
    rollout, _ = await counting(start, model)
    before = rollout.state.turn

    await rollout.receive(UserInterrupt(respond=False))

    assert (before.tool_calls, before.steps) == (1, 2)
    assert rollout.state.turn == before
