"""Who is shown another's memory in a prompt, what is recorded of it, and what an erased value leaves."""

import pytest

from runtime.domain.events import MemoryRecalled, RecalledEntry, StepStarted, UserInput
from runtime.domain.trajectory import Draft
from studio.errors import NotAllowed
from studio.models import AuditEntry
from studio.queries.memory_in_prompts import WITHHELD
from studio.queries.viewer import viewer_of
from studio.rights import Role
from studio.services.audit import Actor
from studio.services.prompts import read_prompt
from studio.services.sharing import share_session
from studio.store import EraseMemories
from studio.wiring import running
from tests.memories import remembered
from tests.people import person
from tests.sessions import agent_with, record, rollout_of, session_of

pytestmark = pytest.mark.django_db(transaction=True)
CANARY = "canary-4711"


@pytest.fixture
def author():
    return person("aron", Role.AUTHOR)


@pytest.fixture
def maya():
    return person("maya")


@pytest.fixture
def session(author):
    """A session of the author with an agent of their own, in which Maya speaks, too."""
    return session_of(author, agent_with(author, "desk", "memory: {inject: [language]}\n"))


@pytest.fixture
def rollout(session, maya):
    it = remembered(maya, "language", CANARY)
    entry = RecalledEntry(key="language", version=1, sha256=it.sha256)
    found = rollout_of(session)
    record(
        found,
        [
            Draft(UserInput(content="hello", name="Maya"), maya.public_id),
            Draft(MemoryRecalled(owner=maya.public_id, entries=(entry,))),
            Draft(StepStarted(model="playbook/echo", seen=3, prompt_sha256="0" * 64), step=0),
        ],
    )
    return rollout_of(session)


def shown(user, rollout):
    found = read_prompt(Actor(user, "test"), rollout, viewer_of(rollout.session, user), 0)
    return found, str(found.messages)


def test_a_supervisor_is_shown_it_and_that_is_recorded_once(rollout):
    supervisor = person("sue", Role.SUPERVISOR)

    found, text = shown(supervisor, rollout)
    shown(supervisor, rollout)

    assert CANARY in text
    assert found.tail == 1
    entry = AuditEntry.objects.get(action="memory.read")
    assert (entry.who, entry.subject, entry.after) == ("sue", "maya", {"where": f"in a prompt of {rollout.public_id}"})


def test_an_author_is_not_shown_anothers_memory_in_a_session_of_their_own(rollout, author):
    found, text = shown(author, rollout)

    assert CANARY not in text
    assert WITHHELD in text
    assert found.memory.withheld == 1
    assert not AuditEntry.objects.filter(action="memory.read").exists()


def test_ones_own_memory_is_shown_and_not_recorded(author):
    session = session_of(author, agent_with(author, "desk", "memory: {inject: [language]}\n"))
    entry = RecalledEntry(key="language", version=1, sha256=remembered(author, "language", CANARY).sha256)
    drafts = [
        Draft(UserInput(content="hello", name="Aron"), author.public_id),
        Draft(MemoryRecalled(owner=author.public_id, entries=(entry,))),
        Draft(StepStarted(model="playbook/echo", seen=3, prompt_sha256="0" * 64), step=0),
    ]
    record(rollout_of(session), drafts)

    _, text = shown(author, rollout_of(session))

    assert CANARY in text
    assert not AuditEntry.objects.filter(action="memory.read").exists()


def test_who_may_not_read_prompts_is_refused(rollout, maya):
    with pytest.raises(NotAllowed):
        shown(maya, rollout)


def test_an_erased_value_is_said_to_be_erased(rollout, maya):
    project = rollout.session.project.public_id
    running().store.writer.call(EraseMemories(project, maya.public_id))

    found, text = shown(person("sue", Role.SUPERVISOR), rollout)

    assert CANARY not in text
    assert "[erased]" in text
    assert found.memory.erased == 1


def test_a_new_value_does_not_stand_in_an_old_prompt(rollout, maya):
    remembered(maya, "language", "Greek")

    _, text = shown(person("sue", Role.SUPERVISOR), rollout)

    assert CANARY in text
    assert "Greek" not in text


def test_who_was_shown_the_session_reads_what_was_remembered_of_its_owner_and_of_nobody_else(session, rollout, author):
    bea = person("bea", Role.AUTHOR)
    share_session(author, session, "bea")

    assert CANARY not in shown(bea, rollout)[1], "Maya's, and the session is not hers to show"

    it = remembered(author, "language", "of the owner")
    entry = RecalledEntry(key="language", version=1, sha256=it.sha256)
    recalled = MemoryRecalled(owner=author.public_id, entries=(entry,))
    record(rollout, [Draft(UserInput(content="hi", name="aron"), author.public_id), Draft(recalled)])
    started = StepStarted(model="playbook/echo", seen=6, prompt_sha256="0" * 64)
    record(rollout, [Draft(started, step=1)])

    assert "of the owner" in str(read_prompt(Actor(bea, "test"), rollout, viewer_of(session, bea), 1).messages)
