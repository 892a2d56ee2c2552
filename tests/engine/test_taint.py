"""Untrusted reading, private data and sending out in one rollout need a person: security.md, law 6."""

import pytest

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.definition import AgentContext, AgentGrant, MemoryPolicy
from runtime.domain.events import (
    ApprovalDecision,
    ExternalTrigger,
    FileRef,
    RolloutStarted,
    UserInput,
    Verdict,
)
from runtime.domain.facts import StandingGrant
from runtime.domain.readings import MOST, NO_READINGS
from runtime.domain.taint import leak_of, read_by
from runtime.domain.tool import Access, ApprovalPolicy, Label
from runtime.domain.trajectory import Draft, place
from runtime.ports import ToolFailed
from tests.builders import tool
from tests.engine.test_children import Models
from tests.engine.test_memory import know, says

UNTRUSTED, PRIVATE, SENDS = Label.READS_UNTRUSTED, Label.READS_PRIVATE, Label.SENDS_EXTERNAL


def fetch(**more):
    return tool("fetch", labels=frozenset({UNTRUSTED}), **more)


def ledger(**more):
    return tool("ledger", labels=frozenset({PRIVATE}), **more)


def mail(**more):
    return tool("mail", access=Access.WRITE, labels=frozenset({SENDS}), **more)


def in_turn(model, *names: str) -> None:
    for name in names:
        model.calls((name, {}))


def reasons(rollout) -> list[str]:
    return [asked.reason for asked in rollout.payloads("approval.request")]


async def test_a_call_that_sends_out_after_both_readings_waits_for_a_person_who_is_told_why(start, model):
    send = mail()
    rollout = await start(fetch(), ledger(), send)
    in_turn(model, "fetch", "ledger", "mail")

    await rollout.receive(UserInput(content="go"))

    (asked,) = rollout.payloads("approval.request")
    assert (asked.why, asked.tool, rollout.lifecycle, send.ledger) == ("taint", "mail", "waiting (approval)", [])
    assert asked.reason == (
        "mail sends to the outside, and the agent has read what nobody vouches for (fetch in call 0.0) and "
        "private data (ledger in call 1.0)."
    )

    await rollout.receive(ApprovalDecision(call_id="2.0", verdict=Verdict.APPROVE, args_sha256=asked.args_sha256))

    assert send.ledger == ["r_1:2.0"]


async def test_a_denial_is_told_and_nothing_goes_out(start, model):
    send = mail()
    rollout = await start(fetch(), ledger(), send)
    in_turn(model, "fetch", "ledger", "mail")
    await rollout.receive(UserInput(content="go"))

    await rollout.receive(ApprovalDecision(call_id="2.0", verdict=Verdict.DENY, by="Priya"))

    assert send.ledger == []
    assert rollout.payloads("tool.result")[-1].content == "Priya said no. Nothing was done."


@pytest.mark.parametrize("names", [("fetch", "mail"), ("ledger", "mail"), ("mail", "fetch", "ledger")])
async def test_two_of_the_three_ask_nobody_and_neither_does_what_was_sent_before(start, model, names):
    rollout = await start(fetch(), ledger(), mail())
    in_turn(model, *names)

    await rollout.receive(UserInput(content="go"))

    assert reasons(rollout) == []


async def test_calls_of_one_step_were_written_before_any_of_them_was_read(start, model):
    rollout = await start(fetch(), ledger(), mail())
    model.calls(("fetch", {}), ("ledger", {}), ("mail", {}))
    in_turn(model, "mail")

    await rollout.receive(UserInput(content="go"))

    assert [asked.call_id for asked in rollout.payloads("approval.request")] == ["1.0"]


async def test_a_tool_that_is_all_three_asks_the_second_time(start, model):
    both = tool("api", labels=frozenset({UNTRUSTED, PRIVATE, SENDS}))
    rollout = await start(both)
    in_turn(model, "api", "api")

    await rollout.receive(UserInput(content="go"))

    assert (both.ledger, len(reasons(rollout))) == (["r_1:0.0"], 1)


async def test_no_policy_of_the_file_switches_it_off(start, model):
    send = mail(approval=ApprovalPolicy("never"))
    rollout = await start(fetch(), ledger(), send)
    in_turn(model, "fetch", "ledger", "mail")

    await rollout.receive(UserInput(content="go"))

    assert (send.ledger, len(reasons(rollout))) == ([], 1)


async def test_a_policy_that_asks_as_well_says_who_and_how_many(start, model):
    rollout = await start(fetch(), ledger(), mail(approval=ApprovalPolicy("always", ("supervisors",), needed=2)))
    in_turn(model, "fetch", "ledger", "mail")

    await rollout.receive(UserInput(content="go"))

    (asked,) = rollout.payloads("approval.request")
    assert (asked.why, asked.approvers, asked.needed) == ("taint", ("supervisors",), 2)


@pytest.mark.parametrize(("covers_taint", "runs"), [(False, 0), (True, 1)])
async def test_a_standing_grant_stands_for_it_only_if_it_was_given_for_it(start, model, covers_taint, runs):
    send = mail()
    rollout = await start(fetch(), ledger(), send)
    rollout.store.grants.append(StandingGrant("g_1", "mail", "Priya", covers_taint=covers_taint))
    in_turn(model, "fetch", "ledger", "mail")

    await rollout.receive(UserInput(content="go"))

    assert (len(send.ledger), len(rollout.payloads("approval.decision"))) == (runs, runs)


async def test_a_fallback_that_would_send_out_is_not_used(start, model):
    send, save = mail(), tool("save", access=Access.WRITE, fallback="mail")
    save.answer = lambda args, context: ToolFailed("no room")
    rollout = await start(fetch(), ledger(), save, send)
    in_turn(model, "fetch", "ledger", "save")

    await rollout.receive(UserInput(content="go"))

    assert send.ledger == []
    assert rollout.payloads("tool.result")[-1].status == "error"


async def test_a_trigger_is_untrusted_and_injected_memory_is_private(start, model):
    send = mail()
    rollout = await start(send, framework=True, memory=MemoryPolicy(inject=("*",)))
    await know(rollout, "iban", "DE02")
    in_turn(model, "mail")

    await rollout.post(ExternalTrigger(trigger="orders", body={"text": "hi"}, user="u_maya", user_name="Maya"))
    await rollout.rest()

    (reason,) = reasons(rollout)
    assert "(what came through the trigger orders) and private data (memory in its prompt)" in reason


async def test_recalled_memory_is_private_and_a_sent_file_is_untrusted(start, model):
    rollout = await start(mail(), framework=True, memory=MemoryPolicy(tools=("recall",)))
    await know(rollout, "iban", "DE02")
    model.calls(("recall", {"keys": ["iban"]}))
    in_turn(model, "mail")
    file = FileRef(id="f_1", name="a.txt", media_type="text/plain", bytes=2, head="hi")

    await rollout.post(UserInput(content="read this", name="Maya", files=(file,)), source="u_maya")
    await rollout.rest()

    (reason,) = reasons(rollout)
    assert "(a file that Maya sent) and private data (memory in call 0.0)" in reason


async def test_memory_of_which_nothing_was_found_is_no_private_data(start, model):
    send = mail()
    rollout = await start(fetch(), send, framework=True, memory=MemoryPolicy(tools=("recall",)))
    model.calls(("recall", {"keys": ["iban"]}))
    in_turn(model, "fetch", "mail")

    await says(rollout, "go")

    assert (reasons(rollout), len(send.ledger)) == ([], 1)


# -- over the tree


async def test_what_a_called_agent_has_read_counts_for_its_caller(start_many):
    models, page, send = Models("scripted", "helper"), fetch(), mail()
    helper = Agent(name="helper", model="helper", tools=(page.spec,))
    rollout = await start_many(models, ledger(), send, page, others=[helper])
    models.scripted.calls(("ledger", {}))
    models.scripted.calls(("invoke_helper", {"task": "look it up"}))
    models.scripted.calls(("mail", {}))
    models.helper.calls(("fetch", {}))
    models.helper.says("send it to eve")

    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: rollout.payloads("approval.request"))

    (reason,) = reasons(rollout)
    assert "(the agent helper brought fetch in call 0.0) and private data (ledger in call 0.0)" in reason
    assert send.ledger == []


async def test_what_its_caller_has_read_counts_for_a_called_agent(start_many):
    models, send = Models("scripted", "helper"), mail()
    helper = Agent(name="helper", model="helper", tools=(send.spec,))
    grants = (AgentGrant(name="helper", context=AgentContext(kind="full")),)
    rollout = await start_many(models, fetch(), ledger(), send, others=[helper], agents=grants)
    models.scripted.calls(("fetch", {}))
    models.scripted.calls(("ledger", {}))
    models.scripted.calls(("invoke_helper", {"task": "tell the customer"}))
    models.helper.calls(("mail", {}))

    await rollout.post(UserInput(content="go"))
    child = rollout.other("r_2")
    await rollout.until(lambda: "r_2" in rollout.store.rows and child.payloads("approval.request"))

    (reason,) = reasons(child)
    assert "(the agent tester brought fetch in call 0.0)" in reason
    assert "(the agent tester brought ledger in call 1.0)" in reason
    assert send.ledger == []


def test_a_rollout_that_follows_another_begins_with_what_that_had_read():
    started = RolloutStarted(agent="a", agent_version=1, untrusted_by="fetch in call 0.0", private_by="memory")

    state = fold([place(Draft(started), 1, 1, b"")])

    assert leak_of(state, Agent(name="a"), mail().spec).startswith("mail sends to the outside")


def test_the_first_reading_stays_and_the_words_stay_short():
    read = NO_READINGS.plus("x" * 1000).plus("later", "private")

    assert (len(read.untrusted), read.private) == (MOST, "private")


async def test_it_is_a_function_of_the_trajectory_and_no_compaction_or_fork_washes_it_off(start, model):
    page, send = fetch(), mail()
    rollout = await start(page, ledger(), send)
    in_turn(model, "fetch", "ledger")
    await rollout.receive(UserInput(content="go"))
    events = rollout.trajectory()
    agent = Agent(name="a", tools=(page.spec, ledger().spec, send.spec))

    half = fold(events[: len(events) // 2])
    compacted = fold(events)._replace(history=type(fold(events).history)())

    assert read_by(fold(events[len(events) // 2 :], half), agent) == read_by(fold(events), agent)
    assert leak_of(compacted, agent, send.spec)
    assert leak_of(fold(events), Agent(name="a"), send.spec), "of tools that are gone nobody knows what they read"
