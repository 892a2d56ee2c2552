"""Who may run programs, and a program in a rollout the whole way: published, granted, run, stopped, taken back."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async

from runtime.domain.events import Payload, ToolRequest, ToolStarted
from runtime.domain.trajectory import AGENT, Draft
from runtime.engine.clock import SystemClock
from runtime.engine.executor import Executor
from runtime.engine.manager import Manager
from runtime.engine.shell import Shell
from runtime.tools.arguments import problem_with
from studio.errors import NotAllowed, Refused
from studio.models import Agent, AmpSession, AuditEntry, Rollout, User
from studio.queries.known import registry_of
from studio.queries.sandbox import sandbox_rows
from studio.rights import Role
from studio.services.accounts import default_project
from studio.services.agent_errors import NotPublishable
from studio.services.agents import create_agent, publish, save_draft
from studio.services.audit import Actor
from studio.services.messages import ClientEvent, post_event
from studio.services.sandbox import allow_programs, forbid_programs
from studio.services.sessions import delete_session
from studio.services.tools import try_tool
from studio.store import trajectory
from studio.wiring import running
from tests.builders import RecordingHub, ScriptedModel
from tests.people import administrator, person
from tests.sandbox.rig import left_running
from tests.sessions import record, rollout_of, session_of, step

pytestmark = pytest.mark.django_db(transaction=True)

COUNT = ClientEvent("user.input", "Count.")
TEXT = "name: coder\nmodel: acme/scripted\ntools:\n  - {name: shell, approval: never, timeout: 30s}\n"


@pytest.fixture
def author() -> User:
    return person("aron", Role.AUTHOR)


@pytest.fixture
def agent(author: User) -> Agent:
    """A draft that names `shell`, and may not run programs."""
    return create_agent(Actor(author, "test"), default_project(), TEXT)


@pytest.fixture
def session(author: User, agent: Agent) -> AmpSession:
    """Of the agent, published with leave to run programs."""
    allow_programs(Actor.terminal(), agent)
    publish(Actor(author, "test"), agent)
    return session_of(author, agent)


def test_publishing_needs_the_leave_of_an_administrator(author: User, agent: Agent):
    by = Actor(author, "test")
    with pytest.raises(NotPublishable, match="Ask an administrator to allow it under Settings, Sandbox"):
        publish(by, agent)
    with pytest.raises(NotAllowed):
        allow_programs(by, agent)

    allow_programs(Actor(administrator(), "test"), agent)
    publish(by, agent)

    assert AuditEntry.objects.filter(action="sandbox.allowed", subject="coder").count() == 1
    with pytest.raises(Refused, match="already"):
        allow_programs(Actor.terminal(), agent)


def test_the_leave_stays_with_the_agent_under_another_name(author: User, agent: Agent, session: AmpSession):
    by = Actor(author, "test")
    renamed = save_draft(by, agent, TEXT.replace("coder", "builder"), base=agent.draft_number)

    publish(by, renamed)

    assert [(row.agent.name, row.tools, row.grant is not None) for row in sandbox_rows(administrator())] == [
        ("builder", ["shell"], True)
    ]
    assert sandbox_rows(author) == []


def test_nobody_runs_a_program_by_trying_the_tool(author: User, session: AmpSession):
    project = default_project()
    tool = registry_of(project).tool("shell")

    with pytest.raises(Refused, match="Settings, Sandbox"):
        try_tool(Actor(author, "test"), project, tool, {"command": "id"}, key=rollout_of(session).public_id)


@asynccontextmanager
async def managed(model: ScriptedModel) -> AsyncIterator[Manager]:
    """A manager of the studio's rollouts that works on the scripted model."""
    here = running()
    executor = Executor(here.tool_named, here.store, SystemClock())
    shell = Shell(here.store, RecordingHub(), SystemClock(), model, executor, problem_with, here.redactor)
    manager = Manager(shell, here.bind, "worker")
    await manager.start()
    try:
        yield manager
    finally:
        await manager.stop()


async def payloads(session: AmpSession, kind: str, wanted: Callable[[list[Payload]], bool] = bool) -> list[Payload]:
    """The payloads of that type, once they are as wanted."""
    async with asyncio.timeout(30):
        while True:
            pk = (await Rollout.objects.aget(session=session)).pk
            found = [event.payload for event in await sync_to_async(trajectory)(pk) if event.payload.type == kind]
            if wanted(found):
                return found
            await asyncio.sleep(0.02)


async def tell(manager: Manager, author: User, session: AmpSession, event: ClientEvent) -> None:
    await sync_to_async(post_event)(author, session, event)
    manager.nudge((await Rollout.objects.aget(session=session)).public_id)


def folder_of(session: AmpSession) -> Path:
    return Path(running().services.sandbox.sessions) / session.public_id


async def test_a_program_runs_until_the_leave_is_taken_back_and_its_files_go_with_the_session(
    author: User, agent: Agent, session: AmpSession
):
    model = ScriptedModel()
    model.calls(("shell", {"command": "echo 42 | tee number"}))
    model.says("It is 42.")
    model.calls(("shell", {"command": "echo again > number"}))
    model.says("I may not.")
    async with managed(model) as manager:
        await tell(manager, author, session, COUNT)
        first = await payloads(session, "tool.result")
        await payloads(session, "agent.output")
        await sync_to_async(forbid_programs)(Actor.terminal(), agent)
        await tell(manager, author, session, COUNT)
        _, second = await payloads(session, "tool.result", lambda found: len(found) == 2)
        await payloads(session, "agent.output", lambda found: len(found) == 2)

    assert (first[0].status, first[0].content) == ("ok", "42")
    assert second.status == "error"
    assert "this agent may not run programs" in second.content
    assert (folder_of(session) / "number").read_text() == "42\n"
    await sync_to_async(delete_session)(author, session)
    assert not folder_of(session).exists()


async def test_a_stop_ends_the_program_and_asks_nobody_what_became_of_it(author: User, session: AmpSession):
    model = ScriptedModel()
    model.calls(("shell", {"command": "trap '' TERM; touch begun; sleep 300 & sleep 300"}))
    async with managed(model) as manager:
        await tell(manager, author, session, COUNT)
        async with asyncio.timeout(30):
            while not (folder_of(session) / "begun").exists():
                await asyncio.sleep(0.02)
        await tell(manager, author, session, ClientEvent("user.interrupt"))
        (result,) = await payloads(session, "tool.result")
        asked = await payloads(session, "approval.request", lambda found: True)

    assert (result.status, asked) == ("cancelled", [])
    assert "Stopped, with all that it had started." in result.content
    assert left_running(folder_of(session)) == []


async def test_after_a_crash_a_person_is_asked_what_became_of_a_program(author: User, session: AmpSession):
    call = ToolRequest(call_id="0.0", tool="shell", args={"command": "touch ran"})
    drafts = [*step(Draft(call, AGENT, step=0)), Draft(ToolStarted(call_id="0.0"), step=0)]
    await sync_to_async(lambda: record(rollout_of(session), drafts))()
    async with managed(ScriptedModel()):
        (asked,) = await payloads(session, "approval.request")

    assert asked.why == "unknown_outcome"
    assert not folder_of(session).exists()
