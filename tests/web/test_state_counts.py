"""The badges on the states of the editor's diagram: how many rollouts are there now."""

import pytest

from studio.models import Rollout
from studio.queries.state_counts import rollouts_in_states
from studio.rights import Role
from tests.people import browser_of, person
from tests.sessions import agent_with, rollout_of, session_of

STATES = "states: {initial: open, open: {transitions: [{to: done}]}, done: {final: true}}\n"

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_state_counts_the_rollouts_that_are_in_it_and_have_not_ended():
    author = person("aron", Role.AUTHOR)
    agent, other = agent_with(author, "desk", STATES), agent_with(author, "clerk", STATES)
    rollouts = [rollout_of(session_of(author, agent, title)) for title in ("One", "Two", "Over", "Elsewhere")]
    session_of(author, other)
    Rollout.objects.filter(pk=rollouts[2].pk).update(lifecycle="completed")
    Rollout.objects.filter(pk=rollouts[3].pk).update(business_state="done")

    page = browser_of(author).get("/agents/desk/edit").content.decode()

    assert rollouts_in_states(agent) == {"open": 2, "done": 1}
    assert "<title>2 rollouts there now</title>" in page
    assert "<title>1 rollout there now</title>" in page


def test_without_rollouts_no_state_has_a_badge():
    author = person("aron", Role.AUTHOR)
    agent_with(author, "desk", STATES)

    page = browser_of(author).get("/agents/desk/edit").content.decode()

    assert "c-diagram__node" in page
    assert "there now</title>" not in page
