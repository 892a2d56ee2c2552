"""The entry agent per kind of start: a trigger of that agent begins a session of its workflow."""

import pytest

from studio.models import AmpSession, Participant
from studio.services.audit import Actor
from studio.services.schedules import fire_due
from studio.services.workflows import save_workflow
from tests.sessions import published_agent
from tests.triggers.outside import WEBHOOK, Sender, agent_with_triggers, waiting

DAILY = '  - schedule: {cron: "0 9 * * *", input: Daily report}\n'
TEXT = """\
workflow: support
agents: [helper, desk, reporter]
entry: {chat: helper, webhook: desk, schedule: reporter}
may_interrupt: {desk: [helper]}
shared_context: {region: {type: string, default: EU}}
"""


@pytest.fixture
def agents(people, secret):
    """A desk and a reporter with triggers, and a helper; the desk and the reporter each have both."""
    author = people["author"]
    published_agent(author, "helper")
    desk = agent_with_triggers(author, WEBHOOK + DAILY, "desk")
    reporter = agent_with_triggers(author, WEBHOOK + DAILY, "reporter")
    return {"desk": desk, "reporter": reporter}


@pytest.fixture
def workflow(agents, people):
    return save_workflow(Actor(people["author"], "test"), agents["desk"].project, TEXT)[0]


def agents_in(session: AmpSession) -> set[str]:
    return set(Participant.objects.filter(session=session, agent__isnull=False).values_list("agent__name", flat=True))


def send_to(agent) -> AmpSession:
    trigger = agent.triggers.select_related("agent__project").get(kind="webhook")
    return AmpSession.objects.get(public_id=Sender(trigger)({"event_id": agent.name})[1]["session"])


def test_a_webhook_of_the_entry_agent_begins_a_session_of_the_workflow(agents, workflow):
    session = send_to(agents["desk"])

    assert session.entry_agent == agents["desk"]
    assert agents_in(session) == {"desk", "helper", "reporter"}
    assert session.metadata["workflow"] == {
        "name": "support",
        "may_interrupt": {"desk": ["helper"]},
        "shared": {"region": "EU"},
    }


def test_a_webhook_of_another_agent_begins_a_session_of_that_agent_alone(agents, workflow):
    session = send_to(agents["reporter"])

    assert agents_in(session) == {"reporter"}
    assert "workflow" not in session.metadata


def test_a_schedule_has_an_entry_of_its_own(agents, workflow):
    for agent in agents.values():
        agent.triggers.filter(kind="schedule").update(due_at=1)
    fire_due(2)

    assert len(waiting()) == 2
    found = {session.entry_agent.name: agents_in(session) for session in AmpSession.objects.all()}
    assert found == {"desk": {"desk"}, "reporter": {"desk", "helper", "reporter"}}


def test_without_a_workflow_a_trigger_begins_a_session_of_its_agent(agents):
    assert agents_in(send_to(agents["desk"])) == {"desk"}
