"""A secret that has slipped into a trajectory leaves by no exit: each one checks again, and tells of it in the log.

How it is taken out on the way in stands in `tests/domain/test_redaction.py`, how it is sent in
`tests/services/test_tools_in_rollouts.py`.
"""

import logging

import pytest

from runtime.domain.events import AgentOutput, AgentThought, ToolRequest, ToolResult, UserInput
from runtime.domain.redaction import REDACTED
from runtime.domain.trajectory import AGENT, Draft
from studio.models import AmpSession
from studio.services.audit import Actor
from studio.services.secrets import store_secret
from studio.wiring import running
from tests.people import browser_of, everybody
from tests.sessions import agent_with, record, rollout_of, session_of, step

SECRET = "sk-canary-7741-0123456789"
CALL = ToolRequest(call_id="0.0", tool="issue_refund", args={"order_id": SECRET, "amount": 60, "reason": "broken"})
EXITS = {
    "the conversation": "/chat/{session}",
    "the trajectory": "/rollouts/{rollout}",
    "its growth": "/rollouts/{rollout}/growth",
    "one event of it": "/rollouts/{rollout}?e=4",
    "its raw event": "/rollouts/{rollout}?e=4&tab=raw",
    "the prompt": "/rollouts/{rollout}?e=5&tab=prompt",
    "the list of rollouts": "/rollouts",
    "the live list": "/live",
    "the approvals": "/approvals",
    "AMP: the session": "/amp/v1/sessions/{session}",
    "AMP: its events": "/amp/v1/sessions/{session}/events",
    "AMP: the prompt": "/amp/v1/rollouts/{rollout}/steps/0/prompt",
    "the audit log": "/settings/audit",
    "the list of secrets": "/settings/secrets",
    "the memory": "/memory",
    "the administration": "/admin/studio/",
}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people():
    return everybody()


@pytest.fixture
def session(people) -> AmpSession:
    """One of the administrator's own, with an agent of their own, so that nothing is hidden from them."""
    admin = people["admin"]
    project = people["author"].memberships.get().project
    session = session_of(admin, agent_with(people["author"], "desk", "tools: [issue_refund]\n"), "A bench")
    store_secret(Actor.terminal(), project, "SHOP", SECRET, [])
    said = Draft(UserInput(content=f"my key is {SECRET}", name="ada"), admin.public_id)
    thought = Draft(AgentThought(content=f"it is {SECRET}"), AGENT, 0)
    told = Draft(ToolResult(call_id="0.0", content=f"you sent {SECRET}"), step=0)
    answer = Draft(AgentOutput(content=f"Paid with {SECRET}."), AGENT, 1)
    asked = step(thought, Draft(CALL, AGENT, step=0))
    record(rollout_of(session), [said, *asked, told, *step(answer, number=1)])
    running().redactor.learn(SECRET)
    return session


@pytest.mark.parametrize("exit_", EXITS)
def test_no_exit_shows_it(people, session, exit_):
    url = EXITS[exit_].format(session=session.public_id, rollout=rollout_of(session).public_id)

    response = browser_of(people["admin"]).get(url)

    body = b"".join(response.streaming_content) if response.streaming else response.content
    assert response.status_code == 200
    assert SECRET not in body.decode()
    assert SECRET not in str(response.headers)


def test_the_export_does_not_have_it(people, session):
    response = browser_of(people["admin"]).post(f"/rollouts/{rollout_of(session).public_id}/export")

    assert response.status_code == 200
    assert REDACTED in response.content.decode()
    assert SECRET not in response.content.decode()


def test_a_hit_is_a_fault_in_the_log_without_the_secret(people, session, caplog):
    with caplog.at_level(logging.WARNING):
        response = browser_of(people["admin"]).get(f"/amp/v1/sessions/{session.public_id}/events")

    assert REDACTED in response.content.decode()
    assert caplog.records
    assert SECRET not in caplog.text
