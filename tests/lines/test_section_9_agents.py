"""`runtime.md`, section 9: agents that call one another, and to whom they speak."""

import pytest

from runtime.domain.definition import AgentContext, AgentGrant, StateMachine
from runtime.domain.events import AgentInput, UserInput
from runtime.domain.facts import Person
from runtime.engine.manager import Manager
from runtime.ports import Append, Arrival
from tests.builders import RunningRollout, framework_tools
from tests.engine.test_children import Models, helper, two
from tests.lines.commits import commits_of, types_of

ELSEWHERE = {
    "Its first event after `rollout.started` is `agent.input` with the task": (
        "tests/engine/test_children.py::test_invoke_waits_for_the_answer_of_a_rollout_of_its_own"
    ),
    "`mode: wait` (default) is a synchronous call": (
        "tests/engine/test_children.py::test_the_parent_waits_for_its_child"
    ),
    "`background` an asynchronous one": (
        "tests/engine/test_children.py::test_in_the_background_the_agent_goes_on_at_once"
    ),
    "`message_agent` reaches a living child": (
        "tests/engine/test_children.py::test_a_message_reaches_a_living_child_and_it_answers_again"
    ),
    "budget … part of its parent's": (
        "tests/stores/suite_of_trees.py::TreeSuite::test_two_appends_race_for_the_last_of_a_budget_and_one_wins"
    ),
    "depth … part of its parent's": (
        "tests/engine/test_children.py::test_agents_may_not_call_one_another_deeper_than_the_limit"
    ),
    "Cancelling cancels the children": "tests/engine/test_children.py::test_cancelling_cancels_the_children",
    "pausing pauses them": (
        "tests/engine/test_children.py::test_pausing_pauses_the_children_and_resuming_resumes_them"
    ),
    "a failed child is an error result, never silence": (
        "tests/engine/test_children.py::test_a_failed_child_is_an_error_result_never_silence"
    ),
    "until then it waits, at no cost": (
        "tests/engine/test_timers.py::test_a_rollout_that_waits_for_days_holds_no_task_and_no_memory"
    ),
}

MACHINE = StateMachine.model_validate(
    {
        "initial": "open",
        "states": {"open": {"transitions": [{"to": "done"}]}, "done": {"final": True}},
        "variables": {
            "order": {"type": "string", "default": "48213"},
            "iban": {"type": "string", "default": "DE1"},
        },
    }
)


async def invoked(start_many, *, policy="none", **fields) -> tuple[Models, RunningRollout, RunningRollout]:
    """Maya says three things, and at the third the agent calls its helper, which has answered; both, and the child."""
    models = Models("scripted", "helper")
    grant = AgentGrant(name="helper", context=AgentContext.model_validate(policy))
    rollout = await start_many(models, others=[helper(version=3)], agents=(grant,), **fields)
    models.scripted.says("Red.")
    models.scripted.says("Green.")
    models.scripted.calls(("invoke_helper", {"task": "mix them"}))
    models.helper.says("Yellow.")
    for number, words in enumerate(("first?", "second?", "together?"), 1):
        await rollout.post(UserInput(content=words, name="Maya"))
        steps = number + (number == 3)
        await rollout.until(lambda steps=steps: rollout.types().count("step.completed") == steps)
    await rollout.rest()
    return models, rollout, rollout.other("r_2")


def with_a(commits: list[Append], type_: str) -> Append:
    return next(change for change in commits if type_ in types_of(change))


async def test_invoke_makes_a_rollout_of_that_agents_newest_published_version_in_the_same_session(start_many):
    """`invoke_NAME` creates a rollout of that agent (its newest published version, recorded) in the same session"""
    _, rollout, child = await invoked(start_many)

    [invocation] = rollout.payloads("agent.invocation")
    row = rollout.store.rows["r_2"]
    assert (invocation.agent, invocation.agent_version, invocation.child_rollout) == ("helper", 3, "r_2")
    assert (row.info.agent, row.info.session) == ("helper", "s_1")
    assert child.payloads("rollout.started")[0].agent_version == 3


async def test_an_agent_that_is_not_published_is_not_called(start_many):
    """(its newest published version, recorded)"""
    models, rollout = await two(start_many)
    rollout.store.published.clear()
    models.scripted.calls(("invoke_helper", {"task": "x"}))

    await rollout.receive(UserInput(content="go"))

    assert list(rollout.store.rows) == ["r_1"]
    assert "the agent helper is not published here" in models.scripted.requests[1].messages[-1]["content"]


async def test_the_child_its_first_pending_event_and_the_invocation_are_one_transaction(start_many):
    """child row, its first pending event and the invocation are one transaction"""
    models, rollout = await two(start_many)
    commits = commits_of(rollout)
    models.scripted.calls(("invoke_helper", {"task": "x"}))
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: len(models.scripted.requests) == 2)

    change = with_a(commits, "agent.invocation")
    assert [child.info.rollout for child in change.children] == ["r_2"]
    assert [(sent.rollout, sent.payload.type, sent.payload.content) for sent in change.sends] == [
        ("r_2", "agent.input", "x")
    ]


async def test_the_response_and_the_parents_pending_row_are_one_transaction(start_many):
    """and so are its response and the parent's pending row"""
    models, rollout = await two(start_many)
    commits = commits_of(rollout)
    models.scripted.calls(("invoke_helper", {"task": "x"}))
    models.helper.says("found")
    await rollout.post(UserInput(content="go"))
    await rollout.until(lambda: len(models.scripted.requests) == 2)

    change = with_a(commits, "agent.response")
    assert [(sent.rollout, sent.payload.call_id, sent.payload.content) for sent in change.sends] == [
        ("r_1", "0.0", "found")
    ]


ALL = ["Maya: first?", "Agent: Red.", "Maya: second?", "Agent: Green.", "Maya: together?"]


@pytest.mark.parametrize(
    ("policy", "lines"),
    [({}, []), ("none", []), ({"last": 2}, ALL[-2:]), ("summary", ALL[-4:]), ("full", ALL)],
)
async def test_it_is_shown_what_the_context_policy_grants(start_many, policy, lines):
    """and what the context policy grants: `none` (default), `summary`, `last: n`, `full`"""
    _, _, child = await invoked(start_many, policy=policy)

    [task] = child.payloads("agent.input")
    assert (task.content, task.context.splitlines()) == ("mix them", lines)


async def test_it_is_given_the_variables_that_the_policy_names(start_many):
    """plus named variables"""
    _, _, child = await invoked(start_many, policy={"variables": ["order"]}, machine=MACHINE)

    assert child.payloads("agent.input")[0].vars == {"order": "48213"}


async def test_its_plain_text_when_idle_is_its_response(start_many):
    """Its plain text when idle is its `agent.response`"""
    models, rollout, child = await invoked(start_many)

    assert [(said.content, said.to_rollout) for said in child.payloads("agent.response")] == [("Yellow.", "r_1")]
    assert models.scripted.requests[-1].messages[-1]["content"] == "Yellow."
    assert rollout.payloads("agent.input")[0].final


async def test_a_question_of_a_sub_agent_to_a_person_is_not_its_end(start_many):
    """to ask a person it uses `send_message(wait)`, which is not its end"""
    models, rollout = await two(start_many, tools=framework_tools({"framework": True}, ()))
    rollout.store.people.append(Person("user:maya", "Maya"))
    models.scripted.calls(("invoke_helper", {"task": "x"}))
    models.helper.calls(("send_message", {"to": "Maya", "content": "Which order?", "wait": True}))
    await rollout.post(UserInput(content="go", name="Maya"))
    child = rollout.other("r_2")
    await rollout.until(lambda: "r_2" in rollout.store.rows and "agent.output" in child.types())
    await rollout.until(lambda: child.lifecycle == "waiting (input)")

    assert ("agent.response" in child.types(), rollout.lifecycle) == (False, "waiting (child)")

    models.helper.says("It is the blue one.")
    await child.post(UserInput(content="48213", name="Maya"))
    await rollout.until(lambda: len(models.scripted.requests) == 2)
    assert models.scripted.requests[1].messages[-1]["content"] == "It is the blue one."


async def test_any_process_may_own_a_child(start_many):
    """Any process may own a child."""
    models, rollout, child = await invoked(start_many)
    await rollout.until(lambda: rollout.manager.running == 0)
    other = Manager(rollout.manager._shell, rollout.manager._bind, "another worker")
    await other.start()
    models.helper.says("And blue.", hold_after=1)
    more = AgentInput(content="and a third?", from_rollout="r_1", hops=1)
    await rollout.store.accept(Arrival("r_2", more, "r_1", "e_more"))
    other.nudge("r_2")
    await models.helper.holding()
    assert rollout.store.rows["r_2"].owner == "another worker"

    models.helper.go()
    await rollout.until(lambda: len(models.scripted.requests) == 5)

    assert child.payloads("agent.response")[-1].content == "And blue."
    await other.stop()


async def test_plain_text_goes_to_the_people_whose_events_opened_the_turn(start_many):
    """An agent's plain text goes to the people whose events opened the turn"""
    models, _, child = await invoked(start_many)
    models.helper.says("Hello Maya.")

    await child.receive(UserInput(content="are you there?", name="Maya"))

    assert [(said.content, said.to) for said in child.payloads("agent.output")] == [
        ("Yellow.", "caller"), ("Hello Maya.", ""),
    ]  # fmt: skip


async def test_send_message_speaks_to_others(start, model):
    """`send_message` speaks to others"""
    rollout = await start(framework=True)
    rollout.store.people.append(Person("user:tom", "Tom"))
    model.calls(("send_message", {"to": "Tom", "content": "Maya asks for you."}))
    model.says("I told Tom.")

    await rollout.receive(UserInput(content="fetch Tom", name="Maya"))

    assert [(said.to, said.content) for said in rollout.payloads("agent.output")] == [
        ("user:tom", "Maya asks for you."), ("", "I told Tom."),
    ]  # fmt: skip
