"""What an agent is told of others when its rollout starts."""

import json

import pytest

from studio.models import Pin, Rollout
from studio.rights import Role
from studio.services.accounts import default_project
from studio.store import trajectory
from studio.store.surroundings import descriptions_of, interruptible
from tests.people import person
from tests.sessions import agent_with, published_agent, rollout_of, session_of

pytestmark = pytest.mark.django_db(transaction=True)


def tools_of(rollout: Rollout) -> dict[str, str]:
    """The tools that the rollout was pinned to, with their descriptions."""
    started = trajectory(rollout.pk)[0].payload
    pinned = json.loads(Pin.objects.get(sha256=started.tools_sha256).text)
    return {tool["name"]: tool["description"] for tool in pinned}


def test_an_agent_is_told_what_its_sub_agents_say_of_themselves():
    author = person("aron", Role.AUTHOR)
    agent_with(author, "critic", "description: Finds faults in texts.\n")
    desk = agent_with(author, "desk", "agents: [critic]\n")

    tools = tools_of(rollout_of(session_of(author, desk)))

    assert tools["invoke_critic"].startswith("Give a task to the agent critic: Finds faults in texts.")
    assert "message_agent" in tools


def test_only_open_agents_of_the_same_project_are_described():
    author = person("aron", Role.AUTHOR)
    published_agent(author, "critic")
    project = default_project().public_id

    assert descriptions_of(project, ["critic", "nobody"]) == {"critic": ""}
    assert descriptions_of("p_other", ["critic"]) == {}
    assert descriptions_of(project, []) == {}


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ({"workflow": {"may_interrupt": {"desk": ["critic"]}}}, {"critic"}),
        ({"workflow": {"may_interrupt": {"critic": ["desk"]}}}, set()),
        ({"workflow": {"may_interrupt": {"desk": "critic"}}}, set()),
        ({"workflow": "support"}, set()),
        ({}, set()),
    ],
)
def test_whom_an_agent_may_interrupt_stands_in_the_workflow_of_the_session(metadata, found):
    assert interruptible(metadata, "desk") == found
