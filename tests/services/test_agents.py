"""Agents: drafts are kept as typed, versions are numbered and never change, nobody loses what they wrote."""

import pytest

from studio.errors import NotAllowed, Refused
from studio.models import Agent, AgentVersion, AuditEntry, User
from studio.rights import Role
from studio.services.accounts import add_user, default_project
from studio.services.agent_errors import DraftMoved, NameTaken, NotDeletable, NotPublishable, TextRefused
from studio.services.agent_shelf import archive_agent, delete_agent, duplicate_agent, import_text
from studio.services.agents import create_agent, edit_field, publish, restore_version, save_draft
from studio.services.audit import Actor
from tests.fixtures import HOSTILE

RIGHT = {"bad-date.yaml", "bom-crlf.yaml", "norway.yaml", "unicode.yaml"}  # hostile to a careless loader only
TEXT = """# the shop's clerk
name: clerk
model: playbook/echo   # needs no key
system_prompt: Be brief.
limits: {max_steps: 5}
"""

pytestmark = pytest.mark.django_db


def person(name: str, role: Role) -> User:
    return add_user(Actor.terminal(), name, role=role)


@pytest.fixture
def author() -> Actor:
    return Actor(person("ada", Role.AUTHOR), "test")


@pytest.fixture
def agent(author: Actor) -> Agent:
    return create_agent(author, default_project(), TEXT)


def test_a_new_agent_takes_its_name_from_its_text(agent):
    assert (agent.name, agent.draft, agent.draft_number) == ("clerk", TEXT, 1)


def test_an_agent_without_a_usable_name_is_not_made(author):
    with pytest.raises(Refused, match="no usable `name`"):
        create_agent(author, default_project(), "model: playbook/echo\n")


def test_two_agents_cannot_have_one_name(author, agent):
    with pytest.raises(NameTaken):
        create_agent(author, default_project(), TEXT)


def test_a_member_writes_no_agents(agent):
    member = Actor(person("mia", Role.MEMBER), "test")

    with pytest.raises(NotAllowed):
        save_draft(member, agent, "name: x", base=1)
    with pytest.raises(NotAllowed):
        publish(member, agent)


def test_a_draft_that_cannot_be_read_is_kept_as_typed(author, agent):
    saved = save_draft(author, agent, "name: [half", base=1)

    assert Agent.objects.get(pk=agent.pk).draft == "name: [half"
    assert saved.draft_number == 2


def test_a_text_with_nul_or_half_a_character_is_not_stored(author, agent):
    for text in ("name: a\x00b", "name: a\ud800b"):
        with pytest.raises(TextRefused, match="Line 1"):
            save_draft(author, agent, text, base=1)

    assert Agent.objects.get(pk=agent.pk).draft == TEXT


def test_the_second_of_two_people_is_told_who_saved(author, agent):
    tom = Actor(person("tom", Role.AUTHOR), "test")
    save_draft(tom, agent, TEXT + "title: Tom's\n", base=1)

    with pytest.raises(DraftMoved, match="tom saved while you were editing") as moved:
        save_draft(author, agent, TEXT + "title: Ada's\n", base=1)

    assert moved.value.text.endswith("title: Tom's\n")
    assert Agent.objects.get(pk=agent.pk).draft.endswith("title: Tom's\n")


def test_saving_the_same_text_again_is_no_conflict(author, agent):
    save_draft(author, agent, TEXT + "\n", base=1)

    assert save_draft(author, agent, TEXT + "\n", base=1).draft_number == 2


def test_a_field_is_changed_in_place_and_comments_stay(author, agent):
    edited = edit_field(author, agent, "limits.max_steps", 9, base=1)

    assert edited.draft == TEXT.replace("max_steps: 5", "max_steps: 9")


def test_published_versions_are_numbered_and_keep_their_text(author, agent):
    first = publish(author, agent, "First")
    edited = edit_field(author, agent, "system_prompt", "Be kind.", base=1)
    second = publish(author, edited, "Kinder")

    assert [first.number, second.number] == [1, 2]
    assert AgentVersion.objects.get(number=1).text == TEXT
    assert "Be kind." in AgentVersion.objects.get(number=2).text


def test_a_draft_with_errors_is_not_published(author, agent):
    broken = save_draft(author, agent, TEXT.replace("model:", "modle:"), base=1)

    with pytest.raises(NotPublishable, match="`model` is missing"):
        publish(author, broken)

    assert not AgentVersion.objects.exists()


def test_what_has_not_changed_is_not_published_again(author, agent):
    publish(author, agent)

    with pytest.raises(Refused, match="Nothing has changed since v1"):
        publish(author, agent)


def test_publishing_renames_the_agent_as_its_text_says(author, agent):
    renamed = edit_field(author, agent, "name", "front-desk", base=1)
    assert Agent.objects.get(pk=agent.pk).name == "clerk"

    publish(author, renamed)

    assert Agent.objects.get(pk=agent.pk).name == "front-desk"


def test_an_earlier_version_comes_back_as_a_draft_and_history_stays(author, agent):
    version = publish(author, agent)
    edited = edit_field(author, agent, "system_prompt", "Other.", base=1)
    publish(author, edited)

    restored = restore_version(author, version, base=edited.draft_number)

    assert restored.draft == TEXT
    assert AgentVersion.objects.count() == 2


def test_a_copy_has_a_name_of_its_own(author, agent):
    assert duplicate_agent(author, agent).draft == TEXT.replace("name: clerk", "name: clerk-2")


def test_importing_a_known_name_makes_a_new_draft_of_it(author, agent):
    imported, is_new = import_text(author, default_project(), TEXT + "title: Clerk\n")

    assert (imported.pk, is_new, imported.title) == (agent.pk, False, "Clerk")


def test_an_agent_that_nothing_names_can_be_deleted_with_its_versions(author, agent):
    publish(author, agent)

    delete_agent(author, agent)

    assert not Agent.objects.exists()
    assert not AgentVersion.objects.exists()


def test_archiving_takes_an_agent_off_the_list(author, agent):
    archive_agent(author, agent)

    assert not Agent.objects.open().exists()


def test_the_audit_log_names_what_was_done_and_holds_no_text(author, agent):
    publish(author, agent)
    archive_agent(author, agent)

    entries = AuditEntry.objects.filter(action__startswith="agent.").order_by("pk")
    assert [entry.action for entry in entries] == ["agent.created", "agent.published", "agent.archived"]
    assert "Be brief" not in str([(entry.before, entry.after) for entry in entries])


@pytest.mark.parametrize("path", sorted(HOSTILE.glob("*.[yj]*")), ids=lambda path: path.name)
def test_a_hostile_file_never_becomes_a_version_unless_it_is_right(author, path):
    text = path.read_bytes().decode("utf-8")
    agent = create_agent(author, default_project(), TEXT)

    if path.name in RIGHT:
        publish(author, save_draft(author, agent, text, base=1))

        assert AgentVersion.objects.get().text == text
        return
    with pytest.raises((TextRefused, NotPublishable)):
        publish(author, save_draft(author, agent, text, base=1))
    assert not AgentVersion.objects.exists()


def test_a_deleted_agent_with_rollouts_says_what_to_do_instead():
    assert str(NotDeletable("clerk", 3)) == (
        "clerk has 3 rollouts, whose records name it. Archive it instead: they stay readable."
    )
