"""A studio with people in every role, an agent, and a session of the member's; nothing runs in it."""

import pytest

from studio.models import AmpSession, Rollout
from studio.services.agents import create_agent, publish
from studio.services.audit import Actor
from studio.services.sessions import start_session
from tests.people import everybody

TEXT = "name: echo\nmodel: playbook/echo\nsystem_prompt: You are helpful.\n"


@pytest.fixture
def people(transactional_db):
    return everybody()


@pytest.fixture
def agent(people):
    author = people["author"]
    project = author.memberships.get().project
    agent = create_agent(Actor(author, "test"), project, TEXT)
    publish(Actor(author, "test"), agent)
    return agent


@pytest.fixture
def session(people, agent):
    created = start_session(people["member"], agent.name, "The member's")
    return AmpSession.objects.get(public_id=created.session)


@pytest.fixture
def rollout(session):
    return Rollout.objects.select_related("session__project", "agent", "version").get(session=session)
