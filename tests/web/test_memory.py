"""The memory page: one's own, that of others with the right, and what may be done there."""

import json

import pytest
from django.urls import reverse

from runtime.domain.events import (
    AgentOutput,
    AgentThought,
    MemoryNamed,
    RecalledEntry,
    StepCompleted,
    StepStarted,
    ThoughtKind,
    ToolRequest,
    ToolResult,
    UserInput,
)
from runtime.domain.trajectory import AGENT, Draft
from studio.models import AuditEntry, MemoryVersion, Project
from studio.rights import Role
from tests.memories import remembered
from tests.people import browser_of, person
from tests.sessions import agent_with, published_agent, record, rollout_of, session_of, step

pytestmark = pytest.mark.django_db(transaction=True)
CANARY = "canary-4711"


@pytest.fixture
def maya():
    return person("maya")


@pytest.fixture
def browser(maya):
    return browser_of(maya)


def page(browser, *args, **query) -> str:
    response = browser.get(reverse("memory-person", args=args) if args else reverse("memory"), query)
    assert response.status_code == 200
    return response.content.decode()


def newest(owner, key="language") -> MemoryVersion:
    return MemoryVersion.objects.get(owner=owner, key=key, is_current=True)


def posted(browser, route, *args, **data):
    return browser.post(reverse(route, args=args), data)


# -- what is shown


def test_ones_own_memory_is_listed_with_who_wrote_it(browser, maya):
    remembered(maya, "language", "German", by=maya.public_id)
    remembered(person("otto"), "language", CANARY)

    shown = page(browser)

    assert "German" in shown
    assert "a person, maya" in shown
    assert CANARY not in shown


def test_nothing_remembered_says_so(browser):
    assert "Nothing is remembered of you" in page(browser)


def test_markup_in_a_value_is_text(browser, maya):
    it = remembered(maya, "language", "<img src=x onerror=alert(1)>")

    assert "<img src=x" not in page(browser, maya.public_id, entry=it.pk)


def test_a_key_shows_where_it_came_from_and_what_stood_there_before(browser, maya):
    session = session_of(maya, published_agent(person("aron", Role.AUTHOR)))
    rollout = rollout_of(session)
    entry = RecalledEntry(key="language", version=2, sha256="0" * 64)
    named = MemoryNamed(owner=maya.public_id, entries=(entry,), wrote=True)
    record(
        rollout,
        [
            Draft(UserInput(content="Please speak French with me", name="Maya"), maya.public_id),
            Draft(ToolRequest(call_id="0.0", tool="remember", args={"key": "language"}), AGENT),
            Draft(ToolResult(call_id="0.0", content="Remembered.", memory=named)),
        ],
    )
    remembered(maya, "language", "German")
    it = remembered(maya, "language", "French", rollout=rollout.public_id, seq=4)

    shown = page(browser, entry=it.pk)

    assert "Please speak French with me" in shown
    assert f"{reverse('rollout', args=[rollout.public_id])}?e=4" in shown
    assert "German" in shown
    assert "echo, event 4" in shown


# -- what one does


def test_a_change_is_a_new_version_by_ones_own_hand(browser, maya):
    it = remembered(maya)

    response = posted(browser, "memory-change", it.pk, value=" French ")

    assert response.status_code == 302
    assert (newest(maya).value, newest(maya).version, newest(maya).by) == ("French", 2, maya)
    entry = AuditEntry.objects.get(action="memory.changed")
    assert entry.after == {"namespace": "user", "key": "language", "version": 2}


@pytest.mark.parametrize("value", ["", "   ", "x" * 4001, "a\x00b"])
def test_a_value_that_does_not_fit_is_refused_in_words(browser, maya, value):
    it = remembered(maya)

    response = posted(browser, "memory-change", it.pk, value=value)

    assert response.status_code == 422
    assert newest(maya).version == 1


def test_a_change_to_what_was_changed_meanwhile_is_refused(browser, maya):
    old = remembered(maya)
    remembered(maya, value="French")

    response = posted(browser, "memory-change", old.pk, value="Greek")

    assert response.status_code == 409
    assert "changed meanwhile" in response.content.decode()
    assert newest(maya).value == "French"


def test_undo_brings_back_what_stood_there_and_then_nothing(browser, maya):
    remembered(maya, value="German")
    remembered(maya, value="French")

    posted(browser, "memory-undo", newest(maya).pk)
    assert (newest(maya).value, newest(maya).version) == ("German", 3)


def test_undo_of_the_first_value_forgets_it(browser, maya):
    it = remembered(maya)

    posted(browser, "memory-undo", it.pk)

    assert newest(maya).value is None
    assert "German" not in page(browser)


def test_undo_of_what_was_forgotten_brings_it_back_as_unsure_as_it_was(browser, maya):
    remembered(maya, is_tainted=True)
    it = remembered(maya, value=None)

    posted(browser, "memory-undo", it.pk)

    assert (newest(maya).value, newest(maya).is_tainted) == ("German", True)


def test_a_value_that_was_held_back_is_confirmed(browser, maya):
    it = remembered(maya, is_tainted=True)
    assert "Not confirmed." in page(browser, entry=it.pk)

    posted(browser, "memory-confirm", it.pk)

    assert (newest(maya).value, newest(maya).is_tainted, newest(maya).version) == ("German", False, 2)


def test_something_is_added_by_hand(browser, maya):
    assert "Remember something" in page(browser, add="")

    posted(browser, "memory-add", key="Orders.Last", value="48213", project=Project.objects.get().slug)

    assert newest(maya, "orders.last").value == "48213"


def test_what_is_there_already_is_not_added_again(browser, maya):
    remembered(maya)

    response = posted(browser, "memory-add", key="language", value="x", project=Project.objects.get().slug)

    assert response.status_code == 422
    assert "remembered as language already" in response.content.decode()


def test_nothing_is_added_in_anothers_project(browser, maya):
    other = Project.objects.create(slug="other", name="Other")

    assert posted(browser, "memory-add", key="a", value="x", project=other.slug).status_code == 404


def test_a_key_is_erased_with_all_its_versions(browser, maya):
    remembered(maya, value=CANARY)
    it = remembered(maya, value=f"{CANARY} again")

    posted(browser, "memory-forget", it.pk)

    assert set(MemoryVersion.objects.values_list("value", "sha256", "words")) == {(None, "", "")}
    assert CANARY not in page(browser)
    entry = AuditEntry.objects.get(action="memory.erased")
    assert CANARY not in str((entry.before, entry.after))


def test_everything_is_erased_once_the_word_is_typed(browser, maya):
    remembered(maya)
    remembered(maya, "color", "red", namespace="agent:echo")
    remembered(person("otto"), value="theirs")

    assert posted(browser, "memory-forget-all", typed="forget").status_code == 422
    assert newest(maya).value == "German"
    posted(browser, "memory-forget-all", typed="FORGET")

    assert list(MemoryVersion.objects.exclude(value=None).values_list("value", flat=True)) == ["theirs"]


def test_an_erased_value_does_not_come_back_by_undo(browser, maya):
    remembered(maya, value=CANARY)
    it = remembered(maya)
    posted(browser, "memory-forget", it.pk)
    it = remembered(maya, value="new")

    assert posted(browser, "memory-undo", it.pk).status_code == 422
    assert newest(maya).value == "new"


def test_the_export_has_every_version_and_nothing_of_others(browser, maya):
    remembered(maya, value="German")
    remembered(maya, value="French")
    remembered(person("otto"), value=CANARY)

    response = posted(browser, "memory-export")

    told = json.loads(response.content)
    assert response["Content-Disposition"] == 'attachment; filename="memory.json"'
    assert [(one["value"], one["is_current"]) for one in told["memory"]] == [("German", False), ("French", True)]
    assert AuditEntry.objects.filter(action="memory.exported").count() == 1


# -- others


def test_a_supervisor_reads_anothers_and_that_is_recorded_once(maya):
    remembered(maya, value=CANARY)
    browser = browser_of(person("sue", Role.SUPERVISOR))
    assert CANARY not in page(browser)
    assert not AuditEntry.objects.filter(action="memory.read").exists()

    assert CANARY in page(browser, maya.public_id)
    page(browser, maya.public_id)

    entry = AuditEntry.objects.get(action="memory.read")
    assert (entry.who, entry.subject) == ("sue", "maya")


def test_a_supervisor_changes_nothing_there(maya):
    it = remembered(maya)
    browser = browser_of(person("sue", Role.SUPERVISOR))

    for route in ("memory-change", "memory-undo", "memory-confirm", "memory-forget"):
        assert posted(browser, route, it.pk, value="x").status_code == 403

    assert newest(maya).version == 1


def test_a_supervisor_of_another_project_reads_nothing(maya):
    it = remembered(maya, value=CANARY)
    other = Project.objects.create(slug="other", name="Other")
    browser = browser_of(person("stan", Role.SUPERVISOR, project=other))

    assert browser.get(reverse("memory-person", args=[maya.public_id])).status_code == 404
    assert posted(browser, "memory-change", it.pk, value="x").status_code == 404


def test_an_entry_of_another_person_is_not_opened_on_ones_own_page(browser, maya):
    it = remembered(person("otto"), value=CANARY)

    assert browser.get(reverse("memory"), {"entry": it.pk}).status_code == 404


# -- in the conversation and the trajectory


def test_what_was_kept_after_a_turn_is_told_without_its_value(maya):
    author = person("aron", Role.AUTHOR)
    session = session_of(maya, agent_with(author, "desk", "memory: {capture: [language]}\n"))
    rollout = rollout_of(session)
    entry = RecalledEntry(key="language", version=1, sha256="0" * 64)
    named = MemoryNamed(owner=maya.public_id, owner_name="Maya", entries=(entry,), wrote=True)
    words = "After the turn: 1 change to what is remembered of Maya."
    record(
        rollout,
        [
            Draft(UserInput(content="hello", name="Maya"), maya.public_id),
            *step(Draft(AgentOutput(content="Hello, Maya."), AGENT, 0)),
            Draft(StepStarted(model="playbook/echo", seen=2, prompt_sha256="0" * 64, captures=True), step=1),
            Draft(AgentThought(content=words, kind=ThoughtKind.NOTE, memory=named), AGENT, 1),
            Draft(StepCompleted(), step=1),
        ],
    )
    browser = browser_of(person("sue", Role.SUPERVISOR))

    said = browser_of(maya).get(reverse("session", args=[session.public_id])).content.decode()
    trajectory = browser.get(reverse("rollout", args=[rollout.public_id])).content.decode()
    prompt = browser.get(reverse("rollout", args=[rollout.public_id]), {"e": 6, "tab": "prompt"}).content.decode()

    assert "Hello, Maya." in said
    assert words not in said
    assert words in trajectory
    assert "The turn is over" in prompt
