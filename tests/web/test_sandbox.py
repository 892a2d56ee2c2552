"""Settings, Sandbox: an administrator sees whether there is one, and lets agents use it."""

import pytest
from django.urls import reverse

from studio.models import Agent, SandboxGrant
from studio.rights import Role
from studio.services.accounts import default_project
from studio.services.agents import create_agent
from studio.services.audit import Actor
from tests.people import administrator, browser_of, person

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "settings-sandbox"


@pytest.fixture
def agent() -> Agent:
    create_agent(Actor.terminal(), default_project(), "name: talker\nmodel: playbook/echo\n")
    text = "name: coder\ntitle: Coder\nmodel: playbook/echo\ntools: [shell, python]\n"
    return create_agent(Actor.terminal(), default_project(), text)


def test_an_administrator_allows_an_agent_and_takes_it_back(agent: Agent):
    browser = browser_of(administrator())
    change = reverse("settings-sandbox-change", args=[agent.pk])

    page = browser.get(reverse(PAGE)).content.decode()
    browser.post(change, {"allowed": "yes"})
    allowed = browser.get(reverse(PAGE)).content.decode()
    granted = SandboxGrant.objects.filter(agent=agent).exists()
    browser.post(change, {"allowed": "no"})

    assert "The sandbox works on this machine" in page
    assert "Its text names python and shell" in page
    assert "talker" not in page
    assert "Take back from coder" in allowed
    assert granted
    assert not SandboxGrant.objects.exists()


def test_an_author_sees_at_the_line_what_to_do_and_no_grants(agent: Agent):
    browser = browser_of(person("aron", Role.AUTHOR))

    editor = browser.get(reverse("agent-edit", args=["coder"])).content.decode()

    assert "Ask an administrator to allow it under Settings, Sandbox" in editor
    assert browser.get(reverse(PAGE)).status_code == 403
    assert browser.post(reverse("settings-sandbox-change", args=[agent.pk]), {"allowed": "yes"}).status_code == 403
    assert not SandboxGrant.objects.exists()


def test_the_form_of_a_tool_that_asks_by_itself_says_so_and_can_be_told_not_to(agent: Agent):
    browser = browser_of(person("aron", Role.AUTHOR))
    fields = reverse("agent-fields", args=["coder"])

    before = browser.get(reverse("agent-edit", args=["coder"])).content.decode()
    browser.post(fields, {"base": agent.draft_number, "section": "tools", "tool:0:approval": ""})

    assert before.count("asks first") == 2
    agent.refresh_from_db()
    assert "- name: shell\n    approval: never" in agent.draft or "{name: shell, approval: never}" in agent.draft


def test_its_page_under_tools_says_where_it_runs(agent: Agent):
    page = browser_of(person("aron", Role.AUTHOR)).get(reverse("tool", args=["shell"])).content.decode()

    assert "Try it in a chat with that agent." in page
    assert 'name="arg:command"' not in page
