"""People, roles and rights, and that all of it is recorded in a chain that shows changes."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.urls import reverse

from studio.errors import NotAllowed, Refused
from studio.models import AuditEntry, Project, User
from studio.rights import RIGHTS, Right, Role, has_right
from studio.services.accounts import add_user, default_project, disable_user, enable_user, set_administrator, set_role
from studio.services.audit import Actor, record
from studio.verify.audit import check_audit
from tests.people import administrator, browser_of, everybody, person

pytestmark = pytest.mark.django_db

TABLE = {  # the table of the security design; one line a right, one column a role
    Right.TALK: {"member", "other member", "author", "reviewer", "supervisor", "admin"},
    Right.WRITE_AGENTS: {"author", "supervisor", "admin"},
    Right.READ_OTHERS: {"reviewer", "supervisor", "admin"},
    Right.REVIEW: {"reviewer", "supervisor", "admin"},
    Right.REVIEW_OWN: {"member", "other member", "author", "reviewer", "supervisor", "admin"},
    Right.DECIDE_ANY: {"supervisor", "admin"},
    Right.DECIDE_NAMED: {"member", "other member", "author", "reviewer", "supervisor", "admin"},
    Right.SUPERVISE: {"supervisor", "admin"},
    Right.READ_OTHERS_MEMORY: {"supervisor", "admin"},
    Right.ADMINISTER: {"admin"},
}


def test_each_role_has_the_rights_of_the_table_and_a_stranger_none():
    people = {word: user for word, user in everybody().items() if user}
    project = default_project()

    assert set(TABLE) == set(Right)
    for right, allowed in TABLE.items():
        assert {word for word, user in people.items() if has_right(user, project, right)} == allowed, right


def test_a_disabled_person_has_no_right_at_all():
    sue = person("sue", Role.SUPERVISOR)

    disable_user(Actor.terminal(), sue)

    assert not any(has_right(sue, default_project(), right) for right in Right)
    assert not Project.objects.visible_to(sue).exists()
    assert not User.objects.visible_to(sue).exists()


def test_people_see_those_of_their_projects_only():
    people = everybody()

    seen = set(User.objects.visible_to(people["member"]).values_list("username", flat=True))

    assert {"mia", "otto", "sue"} <= seen
    assert "stan" not in seen


def test_no_right_is_missing_from_the_roles():
    assert frozenset().union(*RIGHTS.values()) == set(Right) - {Right.ADMINISTER}


@pytest.mark.parametrize(
    "deed",
    [
        lambda actor, user: add_user(actor, "new"),
        lambda actor, user: set_role(actor, user, default_project(), Role.AUTHOR),
        lambda actor, user: set_administrator(actor, user, True),
        lambda actor, user: disable_user(actor, user),
        lambda actor, user: enable_user(actor, user),
    ],
)
def test_only_administrators_manage_people(deed):
    mia, sue = person("mia"), person("sue", Role.SUPERVISOR)

    with pytest.raises(NotAllowed):
        deed(Actor(sue, "127.0.0.1"), mia)


def test_the_last_administrator_stays():
    ada = administrator()

    with pytest.raises(Refused):
        disable_user(Actor(ada, "127.0.0.1"), ada)
    with pytest.raises(Refused):
        set_administrator(Actor(ada, "127.0.0.1"), ada, False)

    administrator("grace")
    set_administrator(Actor(ada, "127.0.0.1"), ada, False)


@pytest.mark.parametrize("name", ["", "Mia", "mia smith", "a/b", "é", "x" * 65, "mia\n", "-mia"])
def test_a_name_that_cannot_be_typed_at_a_terminal_is_refused(name):
    with pytest.raises(Refused):
        add_user(Actor.terminal(), name)


def test_an_administrator_adds_a_person_and_is_shown_their_link():
    page = browser_of(administrator()).post(reverse("settings-member-add"), {"username": "mia", "role": "author"})

    link = page.content.decode().partition('id="link">')[2].partition("<")[0]
    assert "/sign-in/link/" in link
    assert User.objects.get(username="mia").memberships.get().role == Role.AUTHOR


def test_a_role_given_on_the_page_is_there_and_recorded():
    mia = person("mia")

    browser_of(administrator()).post(reverse("settings-member-role", args=[mia.public_id]), {"role": "reviewer"})

    entry = AuditEntry.objects.get(action="role.changed", who="ada", subject="mia")
    assert mia.memberships.get().role == Role.REVIEWER
    assert (entry.before["role"], entry.after["role"]) == ("member", "reviewer")


def test_the_commands_add_list_and_disable_people(capsys):
    call_command("users", "add", "mia", "--role", "author")
    call_command("users", "list")
    call_command("users", "disable", "mia")

    printed = capsys.readouterr().out
    assert "http://127.0.0.1:8000/sign-in/link/" in printed
    assert "USER\tROLE\tNAME\n" in printed
    assert "mia\tauthor in default\tmia" in printed
    assert not User.objects.get(username="mia").is_active


def test_a_command_says_in_words_what_it_refused():
    with pytest.raises(CommandError, match="Nobody is named 'nia'"):
        call_command("users", "disable", "nia")
    with pytest.raises(CommandError, match="No project is named 'x'"):
        call_command("users", "add", "mia", "--role", "author", "--project", "x")


def test_a_changed_audit_entry_breaks_the_chain():
    for number in range(3):
        record(Actor.terminal(), "test", str(number), after={"n": number, "words": "über 😀"})
    assert list(check_audit("default")) == []
    second = AuditEntry.objects.order_by("pk")[1]

    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER studio_auditentry_refuses_update")
        cursor.execute("UPDATE studio_auditentry SET who = 'somebody' WHERE id = %s", [second.pk])

    assert [finding.where for finding in check_audit("default")] == [f"audit entry {second.pk}"]
