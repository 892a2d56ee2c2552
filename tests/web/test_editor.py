"""The editor page: what is typed stays, what is wrong is said, and form and YAML are one text."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from studio.models import Agent, AgentVersion
from studio.rights import Role
from studio.services.accounts import default_project
from studio.services.agents import create_agent, publish, save_draft
from studio.services.audit import Actor
from tests.fixtures import HOSTILE
from tests.people import browser_of, person

TEXT = """# the shop's clerk
name: clerk
model: playbook/echo   # needs no key
system_prompt: |
  Be brief.
tools:
  - calculator         # sums
limits: {max_steps: 5}
"""
JSON = {"Accept": "application/json"}

pytestmark = pytest.mark.django_db


@pytest.fixture
def author():
    return person("aron", Role.AUTHOR)


@pytest.fixture
def here(author) -> Client:
    return browser_of(author)


@pytest.fixture
def agent(author) -> Agent:
    return create_agent(Actor(author, "test"), default_project(), TEXT)


def post(here: Client, route: str, fields: dict, **headers):
    return here.post(reverse(route, args=["clerk"]), fields, headers={**JSON, **headers})


def test_the_page_shows_the_text_the_form_and_no_problems(here, agent):
    page = here.get("/agents/clerk/edit").content.decode()

    assert "model: playbook/echo   # needs no key" in page
    assert 'name="field:limits.max_steps" value="5"' in page
    assert "No problems" in page


def test_a_member_may_not_open_the_editor(agent):
    assert browser_of(person("mia")).get("/agents/clerk/edit").status_code == 404


def test_a_member_may_not_open_the_editor_of_a_published_agent(author, agent):
    publish(Actor(author, "test"), agent)

    assert browser_of(person("mia")).get("/agents/clerk/edit").status_code == 403


def test_checking_gives_problems_with_their_place_and_the_form_again(here, agent):
    answer = post(here, "agent-check", {"text": TEXT.replace("max_steps: 5", "max_steps: -5")}).json()

    assert [(problem["line"], problem["path"]) for problem in answer["problems"]] == [(8, "limits.max_steps")]
    assert "out of range" in answer["parts"]["section-limits"]
    assert answer["locked"] == ""


def test_a_text_that_cannot_be_read_locks_the_form_and_names_the_line(here, agent):
    answer = post(here, "agent-check", {"text": "name: clerk\nmodel: [half"}).json()

    assert answer["locked"].startswith("Fix line")
    assert "section-identity" not in answer["parts"]


def test_a_form_edit_changes_one_line_and_leaves_comments(here, agent):
    answer = post(here, "agent-fields", {"text": TEXT, "field:limits.max_steps": "9"}).json()

    assert answer["text"] == TEXT.replace("max_steps: 5", "max_steps: 9")
    assert Agent.objects.get().draft == TEXT


def test_the_prompt_template_is_shown_filled_in(here, agent):
    text = TEXT + 'user_prompt_template: "Talk to {{ user.name }} about {{ 7*7 }}."\n'

    instructions = post(here, "agent-check", {"text": text}).json()["parts"]["section-instructions"]

    assert "Talk to Maya about" in instructions
    assert "49" not in instructions


def test_a_field_that_is_no_number_is_refused_in_words(here, agent):
    response = post(here, "agent-fields", {"text": TEXT, "field:limits.max_steps": "many"})

    assert response.status_code == 422
    assert response.json()["refused"] == "Model calls in a turn: write a number, or leave it empty."


def test_tools_are_added_set_and_removed_in_the_text(here, agent):
    added = post(here, "agent-fields", {"text": TEXT, "add_tool": "files"}).json()["text"]
    timed = post(here, "agent-fields", {"text": added, "tool:0:timeout": "5s"}).json()["text"]
    removed = post(here, "agent-fields", {"text": timed, "remove_tool": "1"}).json()["text"]

    assert "  - files: {workspace: .}\n" in added or "workspace: ." in added
    assert "calculator" in timed
    assert "timeout: 5s" in timed
    assert "files" not in removed
    assert "timeout: 5s" in removed


def test_without_scripts_a_section_saves_itself(here, agent):
    fields = {"base": 1, "section": "limits", "field:limits.max_steps": "7", "field:limits.max_tool_calls": ""}
    response = here.post("/agents/clerk/fields", fields)

    assert response.headers["Location"] == "/agents/clerk/edit#section-limits"
    assert Agent.objects.get().draft == TEXT.replace("max_steps: 5", "max_steps: 7")


def test_saving_keeps_what_was_typed_and_gives_the_next_number(here, agent):
    answer = post(here, "agent-draft", {"text": "name: [half", "base": 1})

    assert (answer.status_code, answer.json()["number"]) == (200, 2)
    assert Agent.objects.get().draft == "name: [half"


def test_the_second_to_save_is_shown_both_texts(here, agent):
    tom = Actor(person("tom", Role.AUTHOR), "test")
    save_draft(tom, agent, TEXT + "title: Tom's\n", base=1)

    answer = post(here, "agent-draft", {"text": TEXT + "title: Mine\n", "base": 1})

    assert answer.status_code == 409
    said = answer.json()
    assert said["refused"].startswith("tom saved while you were editing")
    assert said["stored"].endswith("title: Tom's\n")
    assert "<ins>Mine</ins>" in said["difference"]


def test_without_scripts_a_conflict_keeps_the_typed_text_on_the_page(here, agent):
    save_draft(Actor.terminal(), agent, TEXT + "title: Other\n", base=1)

    response = here.post("/agents/clerk/draft", {"text": TEXT + "title: Mine\n", "base": 1})

    page = response.content.decode()
    assert response.status_code == 409
    assert "title: Mine" in page
    assert 'name="base" value="2"' in page


def test_a_fix_is_applied_without_scripts(here, agent):
    text = TEXT.replace("system_prompt:", "sytem_prompt:")

    here.post("/agents/clerk/draft", {"text": text, "base": 1, "fix": "0"})

    assert Agent.objects.get().draft == TEXT


def test_publishing_saves_and_numbers_the_text(here, agent):
    answer = post(here, "agent-publish", {"text": TEXT + "title: Clerk\n", "base": 1, "note": "A title"})

    assert answer.json() == {"url": "/agents/clerk/edit"}
    assert AgentVersion.objects.get().text == TEXT + "title: Clerk\n"


def test_what_changed_since_the_version_that_runs_is_said_before_publishing(here, author, agent):
    publish(Actor(author, "test"), agent)

    answer = post(here, "agent-check", {"text": TEXT + "title: Clerk\n"})

    changes = answer.json()["parts"]["publish-changes"]
    assert "Title" in changes
    assert "The first version" not in changes


def test_publishing_wants_a_note(here, agent):
    answer = post(here, "agent-publish", {"text": TEXT, "base": 1, "note": " "})

    assert answer.status_code == 400
    assert not AgentVersion.objects.exists()


def test_a_text_with_problems_is_saved_and_not_published(here, agent):
    wrong = TEXT.replace("max_steps: 5", "max_steps: -5")
    answer = post(here, "agent-publish", {"text": wrong, "base": 1, "note": "x"})

    assert answer.status_code == 422
    assert answer.json()["number"] == 2
    assert Agent.objects.get().draft == wrong
    assert not AgentVersion.objects.exists()


def test_line_ends_and_a_byte_order_mark_survive_the_browser(here, author):
    text = "\ufeff" + TEXT.replace("\n", "\r\n")
    create_agent(Actor(author, "test"), default_project(), text)

    post(here, "agent-draft", {"text": TEXT.replace("Be brief", "Be kind"), "base": 1})

    assert Agent.objects.get().draft == text.replace("Be brief", "Be kind")


@pytest.mark.parametrize("path", sorted(HOSTILE.glob("*.[yj]*")), ids=lambda path: path.name)
def test_hostile_files_pass_through_every_form_without_harm(here, agent, path):
    text = path.read_bytes().decode("utf-8")
    expected = text.replace("\r\n", "\n").removeprefix("\ufeff")

    checked = post(here, "agent-check", {"text": text})
    fields = post(here, "agent-fields", {"text": text, "field:title": "A title"})
    saved = here.post("/agents/clerk/draft", {"text": text, "base": 1}, follow=True)
    published = post(here, "agent-publish", {"text": text, "base": 2, "note": "x"})
    page = here.get("/agents/clerk/edit")

    for response in (checked, fields, saved, published, page):
        assert response.status_code < 500
    if checked.json()["problems"] and any(p["severity"] == "error" for p in checked.json()["problems"]):
        assert not AgentVersion.objects.exists()
    assert json.dumps(expected)  # nothing in it broke the encoder
    assert Agent.objects.filter(pk=agent.pk).exists()
