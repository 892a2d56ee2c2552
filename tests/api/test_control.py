"""What supervisors order: another state, a higher limit, a whole session at once; and a session that is put away."""

import pytest

from runtime.domain.events import ResumeReason, RolloutPaused, RolloutResumed
from runtime.domain.trajectory import STUDIO, Draft
from studio.models import AuditEntry, Rollout
from studio.services.sessions import archive_session
from studio.store import pending_events
from tests.api.door import Door
from tests.sessions import agent_with, child_of, published_agent, record, rollout_of, session_of, session_of_agents

REFUND_DESK = """
limits: {max_steps: 20, budget: {tokens: 200000}}
states:
  initial: needs_clarification
  variables: {amount: {type: number}}
  needs_clarification: {transitions: [{to: done, when: it is paid, guard: vars.amount > 0}]}
  done: {final: true}
"""


@pytest.fixture
def desk(people):
    """The member's rollout of an agent with states and limits."""
    agent = agent_with(people["author"], "desk", REFUND_DESK)
    return rollout_of(session_of(people["member"], agent))


@pytest.fixture
def supervisor(people):
    return Door(people["supervisor"])


def control(door, rollout, **body) -> tuple[int, dict]:
    key = body.pop("key", "")
    headers = {"Idempotency_Key": key} if key else {}
    return door("POST", f"/rollouts/{rollout.public_id}/control", body, **headers)


def waiting(rollout) -> list:
    return [item.payload for item in pending_events(rollout.pk)]


def test_a_supervisor_sets_the_state_without_its_guard(supervisor, desk):
    status, _ = control(supervisor, desk, action="set_state", state="done", set={"amount": 60}, reason="paid by hand")

    (update,) = waiting(desk)
    assert status == 200
    assert (update.from_state, update.to_state, update.set) == ("needs_clarification", "done", {"amount": 60})
    assert (update.by, update.reason, update.accepted) == ("sue", "paid by hand", True)
    assert AuditEntry.objects.get(action="rollout.set_state").after["state"] == "done"


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"state": "paid"}, 400, "has no state 'paid'. Choose one of: needs_clarification, done."),
        ({"state": "done", "set": {"amount": "x"}}, 422, "amount"),
        ({"state": "done", "set": {"colour": "x"}}, 422, "colour"),
        ({}, 422, "The action set_state needs the field state."),
        ({"state": "done", "limit": "max_steps"}, 422, "The field limit does not go with the action set_state."),
    ],
)
def test_states_that_make_no_sense_are_refused_in_words(supervisor, desk, body, status, words):
    answered, problem = control(supervisor, desk, action="set_state", **body)

    assert (answered, words in problem["detail"]) == (status, True), problem
    assert waiting(desk) == []


def test_an_agent_without_states_has_none_to_set(supervisor, rollout):
    status, problem = control(supervisor, rollout, action="set_state", state="done")

    assert (status, problem["detail"]) == (400, "The agent echo has no states, so there is none to set.")


@pytest.mark.parametrize(("limit", "value"), [("budget.tokens", 300_000), ("max_steps", 30), ("max_tool_calls", 11)])
def test_a_supervisor_raises_a_limit(supervisor, desk, limit, value):
    status, _ = control(supervisor, desk, action="raise_limit", limit=limit, value=value, reason="it is worth it")

    (resumed,) = waiting(desk)
    assert (status, resumed.reason, resumed.limits, resumed.by) == (200, ResumeReason.LIMIT, {limit: value}, "sue")
    assert AuditEntry.objects.get(action="rollout.raise_limit").after["reason"] == "it is worth it"


@pytest.mark.parametrize(
    ("limit", "value", "status", "words"),
    [
        ("max_steps", 20, 422, "must be over what it is now: 20."),
        ("max_steps", 20.5, 422, "must be a whole number"),
        ("max_steps", 10**13, 422, "must be a number up to"),
        ("budget.usd", 5, 400, "has no budget.usd, so there is nothing to raise"),
        ("max_depth", 5, 400, "Choose one of: budget.tokens, budget.usd, max_steps, max_tool_calls."),
    ],
)
def test_limits_that_make_no_sense_are_refused_in_words(supervisor, desk, limit, value, status, words):
    answered, problem = control(supervisor, desk, action="raise_limit", limit=limit, value=value)

    assert (answered, words in problem["detail"]) == (status, True), problem
    assert waiting(desk) == []


def test_a_limit_is_raised_over_what_it_was_raised_to(supervisor, desk):
    record(desk, [Draft(RolloutResumed(by="Sue", reason=ResumeReason.LIMIT, limits={"max_steps": 40}))])

    low, problem = control(supervisor, desk, action="raise_limit", limit="max_steps", value=30)
    high, _ = control(supervisor, desk, action="raise_limit", limit="max_steps", value=50)

    assert (low, problem["detail"], high) == (422, "The new max_steps must be over what it is now: 40.", 200)


def test_a_budget_is_raised_at_the_root_and_what_it_paused_below_goes_on(supervisor, desk):
    child = child_of(desk)
    record(child, [Draft(RolloutPaused(by=STUDIO, reason="The budget is used up."))])
    working = child_of(desk)

    status, accepted = control(supervisor, child, action="raise_limit", limit="budget.tokens", value=300_000)

    assert (status, accepted["rollout"]) == (200, desk.public_id)
    resumed = RolloutResumed(by="sue", reason=ResumeReason.LIMIT, limits={"budget.tokens": 300_000})
    assert [waiting(rollout) for rollout in (desk, child, working)] == [[resumed], [resumed], []]


def test_the_same_order_under_the_same_key_is_given_once(supervisor, desk):
    body = {"action": "raise_limit", "limit": "max_steps", "value": 30, "key": "k-1"}

    first, again = control(supervisor, desk, **body), control(supervisor, desk, **body)
    other = control(supervisor, desk, **body | {"value": 40})

    assert (again, other[0]) == (first, 422)
    assert len(waiting(desk)) == 1


@pytest.mark.parametrize("body", [{"action": "set_state", "state": "done"}, {"action": "raise_limit"}])
def test_an_owner_neither_sets_states_nor_raises_limits(people, desk, body):
    status, _ = control(Door(people["member"]), desk, limit="max_steps", value=30, **body)

    assert status in (403, 422)
    assert waiting(desk) == []


@pytest.fixture
def pair(people):
    """A session with two agents at work."""
    agents = [published_agent(people["author"], name) for name in ("front", "back")]
    session = session_of_agents(people["member"], agents)
    body = {"type": "user.input", "content": "Hello", "to": "back"}
    Door(people["member"])("POST", f"/sessions/{session.public_id}/events", body)
    return session


def test_a_whole_session_is_paused_and_cancelled(people, supervisor, pair):
    path = f"/sessions/{pair.public_id}/control"

    paused = supervisor("POST", path, {"action": "pause", "reason": "a look first"})
    cancelled = Door(people["member"])("POST", path, {"action": "cancel"})

    assert [len(answer["rollouts"]) for _, answer in (paused, cancelled)] == [2, 2]
    for rollout in Rollout.objects.filter(session=pair):
        types = [payload.type for payload in waiting(rollout) if payload.type != "user.input"]
        assert types == ["rollout.paused", "rollout.cancelled"]


def test_a_session_in_which_nothing_runs_has_nothing_to_cancel(people, pair):
    Rollout.objects.filter(session=pair).update(lifecycle="cancelled")

    status, problem = Door(people["member"])("POST", f"/sessions/{pair.public_id}/control", {"action": "cancel"})

    assert (status, problem["detail"]) == (409, "There is nothing to cancel in this session.")


def test_what_is_archived_ends(people, pair):
    archive_session(people["member"], pair)

    for rollout in Rollout.objects.filter(session=pair):
        ended = waiting(rollout)[-1]
        assert (ended.type, ended.by, ended.reason) == ("rollout.completed", "mia", "The session was archived.")
