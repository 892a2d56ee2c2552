"""Workflows: ways to start sessions of several agents."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from runtime.domain.events import RolloutStarted
from runtime.domain.events.versions import load
from studio.models import AmpSession, AuditEntry, Event, Workflow
from studio.store.codes import TYPE_CODES
from studio.store.facts import ReadFacts
from studio.wiring import running
from tests.api.door import Door
from tests.sessions import published_agent

SUPPORT = """# how support begins
workflow: support
title: Support
agents: [desk, finder]
entry: {chat: finder, webhook: desk}
may_interrupt: {finder: [desk]}
"""


SHARING = """workflow: sharing
agents: [desk, finder]
entry: desk
shared_context: {order_id: string, amount: {type: integer, default: 5}}
"""


@pytest.fixture
def agents(people):
    return [published_agent(people["author"], name) for name in ("desk", "finder")]


@pytest.fixture
def author(people, agents):
    return Door(people["author"])


def put(door, text=SUPPORT, name="support"):
    return door("PUT", f"/workflows/{name}", {"text": text})


def test_a_workflow_is_kept_as_written_listed_and_removed(people, author):
    made, again = put(author), put(author, SUPPORT + "# more\n")

    (listed,) = Door(people["member"])("GET", "/workflows")[1]["workflows"]
    assert (made[0], again[0]) == (201, 200)
    assert (listed["title"], listed["agents"], listed["entry"]) == ("Support", ["desk", "finder"], "finder")
    assert author("GET", "/workflows/support")[1] == SUPPORT + "# more\n"
    assert author("DELETE", "/workflows/support")[0] == 204
    assert Workflow.objects.count() == 0
    assert [entry.action for entry in AuditEntry.objects.filter(subject="support").order_by("pk")] == [
        "workflow.saved",
        "workflow.saved",
        "workflow.deleted",
    ]


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("workflow: support\nagents: [nobody]\nentry: nobody\n", 422, "There is no agent `nobody`"),
        ("workflow: other\nagents: [desk]\nentry: desk\n", 400, "names another workflow than 'support'"),
        ("agents: [", 422, "Line 1"),
        ("name: desk\n", 422, "There is no workflow here yet"),
    ],
)
def test_what_no_session_can_be_started_by_is_not_kept(author, text, status, words):
    answered, problem = put(author, text)

    assert (answered, words in problem["detail"]) == (status, True), problem
    assert Workflow.objects.count() == 0


def test_a_session_is_started_by_a_workflow(people, author):
    put(author)
    door = Door(people["member"])

    status, made = door("POST", "/sessions", {"workflow": "support", "input": "Hello"})

    assert (status, made["entry"]) == (201, "finder")
    assert [who["id"] for who in made["participants"][1:]] == ["finder", "desk"]
    assert [rollout["agent"] for rollout in made["rollouts"]] == ["finder"]
    assert AmpSession.objects.get(public_id=made["id"]).metadata["workflow"]["name"] == "support"


def test_its_agents_may_interrupt_whom_it_lists(people, author):
    put(author)
    door = Door(people["member"])
    made = door("POST", "/sessions", {"workflow": "support"})[1]
    body = {"type": "user.input", "content": "Hello", "to": "desk"}
    door("POST", f"/sessions/{made['id']}/events", body)

    facts = running().store.writer.call(ReadFacts(made["rollouts"][0]["id"], []))

    assert [(peer.agent, peer.may_interrupt) for peer in facts.peers] == [("desk", True)]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"workflow": "nothing"}, "There is no workflow 'nothing'."),
        ({"workflow": "support", "agents": ["desk"]}, "A workflow names its agents itself."),
        ({"workflow": "hooks"}, "No chat can be started by the workflow hooks"),
    ],
)
def test_starts_that_make_no_sense_are_refused_in_words(people, author, body, words):
    put(author)
    put(author, "workflow: hooks\nagents: [desk]\nentry: {webhook: desk}\n", "hooks")

    status, problem = Door(people["member"])("POST", "/sessions", body)

    assert (status, words in problem["detail"]) == (400, True), problem


def test_the_terminal_applies_agents_and_workflows_together(people, tmp_path):
    (tmp_path / "support.yaml").write_text(SUPPORT)
    for name in ("desk", "finder"):
        (tmp_path / f"{name}.yaml").write_text(f"name: {name}\nmodel: playbook/echo\nsystem_prompt: Help.\n")
    files = [str(tmp_path / f"{name}.yaml") for name in ("support", "desk", "finder")]
    said = StringIO()

    call_command("agents", "apply", "--publish", *files, stdout=said)

    assert "support: workflow made" in said.getvalue()
    assert Workflow.objects.get().text == SUPPORT


def test_the_terminal_names_the_line_of_what_is_wrong(people, tmp_path):
    (tmp_path / "support.yaml").write_text(SUPPORT)
    said = StringIO()

    with pytest.raises(CommandError):
        call_command("agents", "check", str(tmp_path / "support.yaml"), stdout=said)

    assert "support.yaml:4:10: error: There is no agent `desk`." in said.getvalue()


def test_every_rollout_of_a_workflows_session_may_read_what_it_shares(people, author):
    put(author, SHARING, "sharing")
    member = Door(people["member"])

    started = member("POST", "/sessions", {"workflow": "sharing", "context": {"order_id": "48213"}})[1]
    member("POST", f"/sessions/{started['id']}/events", {"type": "user.input", "content": "@finder Is it there?"})

    begun = Event.objects.filter(rollout__session__public_id=started["id"], type=TYPE_CODES["rollout.started"])
    payloads = [load("rollout.started", *row) for row in begun.values_list("v", "payload")]
    shared = [payload.shared for payload in payloads if isinstance(payload, RolloutStarted)]
    assert shared == [{"amount": 5, "order_id": "48213"}] * 2


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"workflow": "sharing", "context": {"order_id": 7}}, "the variable order_id must be a text"),
        ({"workflow": "sharing", "context": {"order": "7"}}, "there is no variable order"),
        ({"agents": ["desk"], "context": {"order_id": "7"}}, "Only a workflow has a context"),
    ],
)
def test_a_context_that_does_not_fit_is_refused_in_words(people, author, body, sentence):
    put(author, SHARING, "sharing")

    status, problem = Door(people["member"])("POST", "/sessions", body)

    assert status == 400
    assert sentence in problem["detail"]
