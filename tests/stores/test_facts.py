"""What a step is judged by beside its trajectory, as the tables say it now."""

import asyncio

import pytest
from django.utils import timezone

from runtime.domain.events import ApprovalDecision, Verdict
from runtime.domain.facts import Person, Published
from runtime.ports import RolloutEnded
from studio.models import Agent, AgentVersion, AmpSession, AuditEntry, Participant, Project, StandingGrant, User
from studio.rights import Role
from studio.store import Decide, Entry, NewGrant
from tests.people import person
from tests.stores.builders import AGENT, arrival, new_rollout

APPROVED = ApprovalDecision(call_id="0.0", verdict=Verdict.APPROVE)


@pytest.fixture
def rollout(store):
    asyncio.run(store.create(new_rollout()))
    return "r_1"


@pytest.fixture
def priya(project):
    return person("priya", Role.SUPERVISOR, project=project)


@pytest.fixture
def grant(writer, rollout, priya):
    """Decides a call, and gives a standing grant with it."""

    def give(**fields: object) -> StandingGrant:
        fields = {"tool": "pay", "given_by": priya.pk} | fields
        writer.call(Decide(arrival(APPROVED), NewGrant(**fields)))
        return StandingGrant.objects.latest("pk")

    return give


def facts(store, rollout="r_1", agents=()):
    return asyncio.run(store.facts(rollout, agents))


def another_agent(project: Project, name: str, *texts: str) -> Agent:
    agent = Agent.objects.create(project=project, name=name)
    for number, text in enumerate(texts, start=1):
        AgentVersion.objects.create(agent=agent, number=number, text=text, sha256="0" * 64)
    return agent


def test_a_grant_for_the_session_covers_the_tool_in_that_session_alone(store, grant):
    asyncio.run(store.create(new_rollout("r_2", session="s_2")))
    given = grant(reason="the same customer")

    known = facts(store).grants
    assert [(one.id, one.tool, one.by) for one in known] == [(given.public_id, "pay", "priya")]
    assert known[0].covers("pay", {"amount": 60})
    assert not known[0].covers_taint
    assert facts(store, "r_2").grants == ()


@pytest.mark.parametrize("value", [60, "60", 1.5, True, ["a", {"b": None}], None])
def test_a_grant_for_one_value_covers_that_value_in_every_session(store, grant, value):
    asyncio.run(store.create(new_rollout("r_2", session="s_2")))
    grant(everywhere=True, argument="amount", value=value)

    (known,) = facts(store, "r_2").grants
    assert known.covers("pay", {"amount": value})
    assert not known.covers("pay", {"amount": "another"})
    assert not known.covers("refund", {"amount": value})


def test_a_grant_that_was_given_for_calls_that_may_leak_says_so(store, grant):
    grant(covers_taint=True)

    assert facts(store).grants[0].covers_taint


def test_a_grant_is_not_for_other_agents(store, grant, project):
    grant(everywhere=True)
    StandingGrant.objects.update(agent=another_agent(project, "other"))

    assert facts(store).grants == ()


def test_a_revoked_grant_covers_nothing_any_more(store, grant, priya):
    grant()
    StandingGrant.objects.update(revoked_at=timezone.now(), revoked_by=priya)

    assert facts(store).grants == ()


def test_a_decision_its_grant_and_its_audit_entry_are_one(writer, rollout, priya):
    key = {"sender": "decision", "route": "decision", "key": "r_1:0.0:5"}
    entry = Entry(priya.pk, "priya", "127.0.0.1", "approval.decided", "r_1:0.0")

    answers = [writer.call(Decide(arrival(APPROVED, **key), NewGrant("pay", priya.pk), entry)) for _ in range(2)]

    assert [answer.repeated for answer in answers] == [False, True]
    assert StandingGrant.objects.count() == 1
    assert AuditEntry.objects.filter(action="approval.decided").count() == 1


def test_a_decision_that_is_refused_gives_no_grant(writer, rollout, priya):
    AmpSession.objects.get(public_id="s_1").rollouts.update(lifecycle="completed")

    with pytest.raises(RolloutEnded):
        writer.call(Decide(arrival(APPROVED), NewGrant("pay", priya.pk)))

    assert StandingGrant.objects.count() == 0
    AmpSession.objects.get(public_id="s_1").rollouts.update(lifecycle="waiting")


def test_grants_of_a_session_are_seen_by_who_sees_the_session(grant, priya, project):
    maya = person("maya", project=project)
    session = AmpSession.objects.get(public_id="s_1")
    grant()
    Participant.objects.create(session=session, user=maya)
    stranger = person("stan", project=Project.objects.create(slug="other", name="Other"))

    assert [StandingGrant.objects.visible_to(user).count() for user in (priya, maya, stranger)] == [1, 1, 0]


def test_grants_for_every_session_are_seen_by_who_gave_them_and_who_may_decide_anything(grant, priya, project):
    maya = person("maya", project=project)
    grant(everywhere=True)

    assert [StandingGrant.objects.visible_to(user).count() for user in (priya, maya)] == [1, 0]


def test_agents_are_known_by_their_newest_version_unless_archived_or_never_published(store, rollout, project):
    another_agent(project, "researcher", "name: researcher\n", "name: researcher\nmodel: newer\n")
    another_agent(project, "unpublished")
    archived = another_agent(project, "archived", "name: archived\n")
    Agent.objects.filter(pk=archived.pk).update(archived_at=timezone.now())
    another_agent(Project.objects.create(slug="other", name="Other"), "far", "name: far\n")

    names = ["researcher", "unpublished", "archived", "far", "nobody"]

    assert facts(store, agents=names).agents == {
        "researcher": Published("researcher", 2, "name: researcher\nmodel: newer\n")
    }


def test_people_are_those_who_take_part_by_the_names_that_are_shown(store, rollout, project):
    session = AmpSession.objects.get(public_id="s_1")
    maya, otto = person("maya", project=project), person("otto", project=project)
    User.objects.filter(pk=maya.pk).update(display_name="Maya K.")
    Participant.objects.create(session=session, user=maya)
    Participant.objects.create(session=session, user=otto, left_at=timezone.now())

    assert facts(store).people == (Person(maya.public_id, "Maya K."),)


def test_peers_may_be_interrupted_where_the_workflow_of_the_session_lists_them(store, rollout):
    asyncio.run(store.create(new_rollout("r_2")))
    before = facts(store).peers
    AmpSession.objects.update(metadata={"workflow": {"may_interrupt": {AGENT.name: [AGENT.name]}}})

    assert [peer.may_interrupt for peer in (*before, *facts(store).peers)] == [False, True]
