"""`manage.py agents`: files become drafts and versions, problems have their place, and the exit code tells."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from studio.models import Agent, AgentVersion
from tests.fixtures import FIXTURES

TEXT = "name: clerk\nmodel: playbook/echo\n"

pytestmark = pytest.mark.django_db


def agents(*arguments: str | Path) -> tuple[int, str]:
    """The exit code and what was printed."""
    out = StringIO()
    try:
        call_command("agents", *(str(argument) for argument in arguments), stdout=out, stderr=out)
    except CommandError as error:
        return error.returncode, f"{out.getvalue()}{error}"
    return 0, out.getvalue()


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "clerk.yaml"
    path.write_text(TEXT)
    return path


def test_a_file_is_applied_and_published_and_the_second_time_nothing_changes(file):
    assert agents("apply", file, "--publish", "--note", "First") == (0, "clerk: made\nclerk: published v1\n")
    assert agents("apply", file, "--publish") == (0, "clerk: draft saved\nclerk: v1 has this text already\n")
    assert AgentVersion.objects.get().note == "First"


def test_files_that_name_each_other_are_applied_in_any_order(tmp_path):
    for one, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{one}.yaml").write_text(f"name: {one}\nmodel: playbook/echo\nagents: [{other}]\n")

    code, said = agents("apply", tmp_path / "a.yaml", tmp_path / "b.yaml", "--publish")

    assert code == 0, said


def test_problems_are_printed_with_file_line_and_column(file):
    file.write_text("name: clerk\nmodle: playbook/echo\n")

    code, said = agents("check", file)

    assert code == 1
    assert f"{file}:2:1: error: " in said
    assert not Agent.objects.exists()


def test_a_good_file_is_said_to_have_no_problems(file):
    file.write_text("name: clerk\nmodel: playbook/echo\nsystem_prompt: You are a clerk.\n")

    assert agents("check", file) == (0, f"{file}: no problems\n")


def test_a_file_that_is_not_there_is_wrong_use(tmp_path):
    code, said = agents("check", tmp_path / "nothing.yaml")

    assert code == 2
    assert "cannot be read" in said


def test_an_export_is_the_file_byte_for_byte(file):
    file.write_bytes("\ufeffname: clerk # a\r\nmodel: playbook/echo\r\n".encode())
    agents("apply", file)

    assert agents("export", "clerk")[1].encode() == file.read_bytes()


def test_list_and_show_name_the_version(file):
    agents("apply", file, "--publish", "--note", "First")

    assert agents("list")[1] == "clerk\tv1\tplaybook/echo\t\n"
    assert "First" in agents("show", "clerk")[1]


def test_an_agent_without_rollouts_is_deleted(file):
    agents("apply", file)

    assert agents("delete", "clerk") == (0, "clerk is deleted\n")
    assert agents("show", "clerk")[0] == 2


@pytest.mark.parametrize("path", sorted((FIXTURES / "hostile").glob("*.[yj]*")), ids=lambda path: path.name)
def test_hostile_files_are_answered_in_words(path):
    checked, said = agents("check", path)
    applied, _ = agents("apply", path, "--publish")

    assert checked in (0, 1)
    assert "Traceback" not in said
    if checked == 1:
        assert applied == 1
        assert not AgentVersion.objects.exists()
    else:
        assert AgentVersion.objects.get().text.encode() == path.read_bytes()


def test_every_flux_file_is_checked_without_errors():
    for path in sorted((FIXTURES / "agents").glob("flux-*.yaml")):
        _, said = agents("check", path)

        assert "Traceback" not in said
