"""A database with a project, an agent and two sessions, and the store over it."""

import pytest
from django.db import connection

from studio.models import Agent, AgentVersion, AmpSession, Project
from studio.store import DjangoStore, Writer
from studio.verify import verify
from tests.stores.builders import AGENT, PROJECT, HandClock


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture
def project(transactional_db):
    project = Project.objects.create(public_id=PROJECT, slug="shop", name="Shop")
    agent = Agent.objects.create(project=project, name=AGENT.name, draft="name: tester\n")
    AgentVersion.objects.create(agent=agent, number=1, text="name: tester\n", sha256="0" * 64)
    for public_id in ("s_1", "s_2"):
        AmpSession.objects.create(public_id=public_id, project=project, entry_agent=agent)
    return project


@pytest.fixture
def writer(project, clock):
    writer = Writer(now=clock.now, lease_clock=clock.now)
    yield writer
    writer.close()


@pytest.fixture
def store(writer):
    """The store; after the test, what it left in the database is checked."""
    yield DjangoStore(writer)
    assert verify(connection) == []
