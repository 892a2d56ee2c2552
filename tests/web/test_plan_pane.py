"""The plan in the State tab: its steps with their ticks, for those who may read the agent's thoughts."""

import pytest
from django.test import Client

from runtime.domain.events import AgentThought, PlanStep, ThoughtKind
from runtime.domain.trajectory import AGENT, Draft
from tests.people import everybody
from tests.sessions import published_agent, record, rollout_of, session_of, step

PLAN = (PlanStep(id="a", title="Look it up", status="done"), PlanStep(id="b", title="Write it", after=("a",)))


@pytest.fixture
def people(transactional_db):
    return everybody()


@pytest.fixture
def session(people):
    session = session_of(people["author"], published_agent(people["author"]))
    thought = AgentThought(
        call_id="0.0", tool="update_plan", result="Taken.", content="plan", kind=ThoughtKind.PLAN, plan=PLAN
    )
    record(rollout_of(session), step(Draft(thought, AGENT, 0)))
    return session


def pane(person, session) -> str:
    browser = Client()
    browser.force_login(person)
    return browser.get(f"/chat/{session.public_id}/state").content.decode()


def test_the_steps_stand_there_with_what_is_done_and_what_waits(people, session):
    shown = pane(people["author"], session)

    assert "1 of 2 done" in shown
    assert 'data-status="done"' in shown
    assert "after a" in shown


def test_who_may_not_read_thoughts_sees_no_plan(people, session):
    session.participants.create(user=people["member"])

    assert "Look it up" not in pane(people["member"], session)
