"""A project's tool in a rollout, the whole way: bound, asked for by a model, sent with its secret, recorded without."""

import asyncio
import json

import pytest
from aiohttp import web
from asgiref.sync import sync_to_async

from runtime.engine.clock import SystemClock
from runtime.engine.executor import Executor
from runtime.engine.manager import Manager
from runtime.engine.shell import Shell
from runtime.tools.arguments import problem_with
from studio import wiring
from studio.models import Artifact, AuditEntry, Event, Pin, Rollout, Tool, User
from studio.rights import Role
from studio.services.agents import create_agent, publish
from studio.services.audit import Actor
from studio.services.messages import ClientEvent, post_event
from studio.services.secrets import store_secret
from studio.store import trajectory
from tests.builders import RecordingHub, ScriptedModel
from tests.people import person
from tests.project_tools import tool_of
from tests.sessions import session_of
from tests.tools.web import serving

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "sk-canary-0123456789"
AGENT = "name: desk\nmodel: acme/scripted\ntools: [{name: pay_back, approval: never, timeout: 5s}]\n"


async def echo(request: web.Request) -> web.Response:
    """A service that tells back what it was sent, the secret too."""
    return web.json_response({"paid": await request.json(), "you_sent": request.headers["Authorization"]})


def prepared(authority: str) -> tuple[User, str]:
    """An author with the tool and an agent that uses it, and a session that has begun; its rollout."""
    author = person("aron", Role.AUTHOR)
    project = author.memberships.get().project
    store_secret(Actor.terminal(), project, "SHOP", SECRET, [authority])
    row = tool_of(author, url=f"http://{authority}", idempotent=True)
    row.form |= {"headers": {"Authorization": "Bearer {secret:SHOP}"}, "idempotency_header": "Idempotency-Key"}
    row.save()
    agent = create_agent(Actor(author, "test"), project, AGENT)
    publish(Actor(author, "test"), agent)
    session = session_of(author, agent)
    post_event(author, session, ClientEvent("user.input", "Pay 48213 back."))
    return author, Rollout.objects.get(session=session).public_id


def results(rollout: str) -> list[str]:
    row = Rollout.objects.get(public_id=rollout)
    return [event.payload.content for event in trajectory(row.pk) if event.payload.type == "tool.result"]


def stored_text() -> str:
    """All text that a rollout leaves in the database."""
    texts = [*Event.objects.values_list("payload", flat=True), *Pin.objects.values_list("text", flat=True)]
    texts += Artifact.objects.values_list("text", flat=True)
    return json.dumps([*texts, *AuditEntry.objects.values_list("before", "after")], default=str)


async def test_a_tool_is_sent_with_its_secret_and_recorded_without(monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedModel()
    model.calls(("pay_back", {"order": "48213", "amount": 75}))
    model.says("It is paid.")
    async with serving(echo) as site:
        monkeypatch.setenv("STUDIO_OUTBOUND_ALLOW", f"127.0.0.1:{site.port}")
        wiring.running.cache_clear()
        running = wiring.running()
        _, rollout = await sync_to_async(prepared)(f"127.0.0.1:{site.port}")
        clock = SystemClock()
        executor = Executor(running.tool_named, running.store, clock)
        shell = Shell(running.store, RecordingHub(), clock, model, executor, problem_with, running.redactor)
        manager = Manager(shell, running.bind, "worker")
        await manager.start()
        try:
            async with asyncio.timeout(20):
                while not (told := await sync_to_async(results)(rollout)):
                    await asyncio.sleep(0.02)
        finally:
            await manager.stop()
            wiring.running.cache_clear()

    assert "pay_back" in [tool["name"] for tool in model.requests[0].tools]
    method, path, headers, body = site.seen[0]
    assert (method, path, json.loads(body)) == ("POST", "/orders/48213/refunds", {"amount": 75})
    assert headers["authorization"] == f"Bearer {SECRET}"
    assert headers["idempotency-key"] == f"{rollout}:0.0"
    assert json.loads(told[0]) == {"paid": {"amount": 75}, "you_sent": "Bearer [secret removed]"}
    assert SECRET not in await sync_to_async(stored_text)()
    assert SECRET not in json.dumps([[request.messages, request.tools] for request in model.requests], default=str)
    assert await sync_to_async(Tool.objects.count)() == 1
