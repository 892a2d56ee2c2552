"""The history of an agent: what changed, in lines and in words, and bringing a version back."""

import pytest
from django.test import Client

from studio.models import Agent, AgentVersion
from studio.rights import Role
from studio.services.accounts import default_project
from studio.services.agents import create_agent, publish, save_draft
from studio.services.audit import Actor
from studio.web.plain_words import changes_in_words
from studio.web.text_diff import diff
from tests.people import browser_of, person

FIRST = "name: clerk\nmodel: playbook/echo\nsystem_prompt: Be brief.\ntools:\n  - calculator\nlimits: {max_steps: 5}\n"
SECOND = FIRST.replace("max_steps: 5", "max_steps: 9").replace("- calculator", "- clock").replace("brief", "kind")


@pytest.fixture
def author(db):
    return person("olga", Role.AUTHOR)


@pytest.fixture
def here(author) -> Client:
    return browser_of(author)


@pytest.fixture
def agent(author) -> Agent:
    actor = Actor(author, "test")
    agent = create_agent(actor, default_project(), FIRST)
    publish(actor, agent, "The first one")
    edited = save_draft(actor, agent, SECOND, base=1)
    publish(actor, edited, "Kinder")
    return edited


def test_the_newest_version_is_compared_with_the_one_before_it(here, agent):
    page = here.get("/agents/clerk/history").content.decode()

    for said in ("The first one", "Kinder", "olga", "<del>5</del>", "<ins>9</ins>", "May use clock"):
        assert said in page
    assert "Bring v2 back" not in page


def test_any_two_versions_and_the_draft_can_be_compared(here, agent):
    assert "<del>9</del>" in here.get("/agents/clerk/history?version=1&with=2").content.decode()
    assert "The texts are the same." in here.get("/agents/clerk/history?version=draft&with=2").content.decode()


def test_an_earlier_version_comes_back_as_the_draft(here, agent):
    assert "Bring v1 back as a draft" in here.get("/agents/clerk/history?version=1").content.decode()

    response = here.post("/agents/clerk/restore", {"version": "1", "base": agent.draft_number})

    assert response.headers["Location"] == "/agents/clerk/edit"
    assert Agent.objects.get().draft == FIRST
    assert AgentVersion.objects.count() == 2


def test_bringing_back_over_somebodys_edit_shows_both_texts(here, agent):
    save_draft(Actor.terminal(), agent, SECOND + "title: New\n", base=agent.draft_number)

    response = here.post("/agents/clerk/restore", {"version": "1", "base": agent.draft_number})

    assert response.status_code == 409
    assert "See both" in response.content.decode()
    assert Agent.objects.get().draft.endswith("title: New\n")


@pytest.mark.parametrize("version", ["3", "0", "x", "9" * 40, "²"])
def test_a_version_that_is_not_there_is_not_found(here, agent, version):
    assert here.get(f"/agents/clerk/history?version={version}").status_code == 404
    assert here.get(f"/agents/clerk/export?version={version}").status_code == 404
    assert here.post("/agents/clerk/restore", {"version": version, "base": "1"}).status_code == 404


def test_a_version_is_downloaded_byte_for_byte(here, agent):
    assert here.get("/agents/clerk/export?version=1").content.decode() == FIRST


def test_changes_are_told_in_plain_words():
    words = [(change.what, change.was) for change in changes_in_words(FIRST, SECOND)]

    assert words == [
        ("System prompt changed", "2 to 2 words."),
        ("Model calls in a turn: 9", "Was 5."),
        ("May use clock", ""),
        ("May no longer use calculator", ""),
    ]


def test_a_change_of_comments_alone_is_told():
    assert [change.what for change in changes_in_words(FIRST, f"# new\n{FIRST}")] == [
        "Other fields or comments changed"
    ]


def test_long_stretches_that_are_the_same_are_folded():
    lines = [f"line {number}" for number in range(40)]
    changed = [*lines[:20], "new", *lines[20:]]

    found = diff("\n".join(lines), "\n".join(changed))

    assert [(line.kind, line.count) for line in found.lines if line.kind == "skipped"] == [("skipped", 17)] * 2
    assert (found.added, found.removed) == (1, 0)
