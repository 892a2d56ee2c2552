"""A studio with people in every role, an agent, and a session of the member's; nothing runs in it."""

import pytest

from tests.people import everybody
from tests.server import StudioServer
from tests.sessions import published_agent, session_of


@pytest.fixture
def people(transactional_db):
    return everybody()


@pytest.fixture
def agent(people):
    return published_agent(people["author"])


@pytest.fixture
def session(people, agent):
    return session_of(people["member"], agent, "The member's")


@pytest.fixture
def server(tmp_path):
    """A real one, in a process of its own, over an empty database; what it leaves behind is checked."""
    server = StudioServer(tmp_path)
    server.manage("migrate")
    yield server.start()
    server.stop()
    server.manage("verify")
