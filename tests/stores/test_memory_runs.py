"""An agent that remembers, on the database: what it wrote stands where its events say, once, whatever breaks off."""

import asyncio
from dataclasses import replace

import pytest
from asgiref.sync import sync_to_async

from runtime.domain.apply import fold
from runtime.domain.context import render
from runtime.domain.definition import MemoryPolicy
from runtime.domain.events import StepStarted, ToolResult, UserInput
from runtime.domain.memory import MemoryScope, MemoryWrite
from runtime.domain.memory_words import ref_of
from runtime.engine.executor import Executor
from runtime.engine.manager import Manager
from runtime.engine.shell import Shell
from studio.models import MemoryVersion, Rollout, User
from studio.store import DjangoStore
from tests.builders import RecordingHub, ScriptedModel, accept_all, framework_tools
from tests.stores.builders import AGENT, PROJECT, arrival, new_rollout

POLICY = MemoryPolicy(tools=("remember", "recall", "search_memory", "forget"), inject=("language",), capture=("mood",))
MINE = MemoryScope(PROJECT, "u_maya", "user")


@pytest.fixture
def people(project):
    for name in ("maya", "priya"):
        User.objects.create(public_id=f"u_{name}", username=name)


class Desk:
    """A manager over the store, with an agent that remembers."""

    def __init__(self, store, clock) -> None:
        self.store, self.model = store, ScriptedModel()
        self.agent = replace(AGENT, tools=framework_tools({"framework": True}, []), memory=POLICY)
        executor = Executor(lambda name: None, store, clock)
        shell = Shell(store, RecordingHub(), clock, self.model, executor, accept_all, linger_seconds=0.05)
        self.manager = Manager(shell, self._bind, "worker")

    async def _bind(self, claimed):
        return self.agent

    async def says(self, content: str, person: str = "u_maya") -> None:
        await self.store.accept(arrival(UserInput(content=content, name=person), source=person))
        self.manager.nudge("r_1")
        async with asyncio.timeout(20):
            while not await sync_to_async(_rests)():
                await asyncio.sleep(0.01)


def _rests() -> bool:
    return Rollout.objects.filter(public_id="r_1", waiting_for="input", pending=0).exists()


@pytest.fixture
async def desk(people, store, clock):
    desk = Desk(store, clock)
    await store.create(new_rollout())
    await desk.manager.start()
    yield desk
    await desk.manager.stop()


async def versions() -> list[MemoryVersion]:
    return [row async for row in MemoryVersion.objects.order_by("key", "version")]


async def test_what_is_remembered_names_the_event_that_names_it(desk, store):
    desk.model.calls(("remember", {"key": "language", "value": "German"}))
    desk.model.says("I will.")
    desk.model.says('{"mood": "glad"}')

    await desk.says("German, please")

    events = {event.seq: event for event in await store.events("r_1", 0)}
    language, mood = await versions()
    assert (language.value, mood.value) == ("German", "glad")
    for row in (language, mood):
        (entry,) = events[row.seq].payload.memory.entries
        assert (row.rollout, entry.key, entry.version, entry.sha256) == ("r_1", row.key, 1, row.sha256)


async def test_each_prompt_is_rendered_again_to_the_hash_that_was_recorded(desk, store):
    await store.change_memory(MemoryWrite(MINE, "language", 1, "German"))
    await store.change_memory(MemoryWrite(MINE, "city", 1, "Ghent"))
    desk.model.calls(("recall", {"keys": ["city"]}))
    await desk.says("where do I live?")
    await desk.says("and I?", "u_priya")
    await desk.says("again")

    events = await store.events("r_1", 0)
    started = [event for event in events if isinstance(event.payload, StepStarted)]
    for event in started:
        before = [one for one in events if one.seq < event.seq]
        assert await rendered(store, before, desk.agent, event.payload) == event.payload.prompt_sha256

    assert len(started) == 7


async def rendered(store, before, agent, payload) -> str:
    state = fold(before)
    refs = set(state.recollections.refs)
    if state.injected is not None:
        refs |= {ref_of(state.injected.owner, entry) for entry in state.injected.entries}
    values = await store.memory_values(PROJECT, refs)
    asked = {"model": payload.model, "withhold": payload.withheld, "captures": payload.captures}
    return render(state, agent, values=values, **asked).sha256


class CutOff(Exception):
    """The worker dies here."""


class DyingStore(DjangoStore):
    """Over the same writer; it dies right before or right after the commit of the first append that writes a memory."""

    def __init__(self, writer, *, after: bool) -> None:
        super().__init__(writer)
        self.after, self.is_dead = after, False

    async def append(self, append):
        if self.is_dead or (append.writes and not self.after):
            self.is_dead = True
            raise CutOff
        answer = await super().append(append)
        if append.writes:
            self.is_dead = True
            raise CutOff
        return answer


@pytest.mark.parametrize("after", [False, True])
async def test_a_kill_beside_the_write_neither_loses_nor_doubles_it(people, store, clock, writer, after):
    await store.create(new_rollout())
    dying = Desk(DyingStore(writer, after=after), clock)
    dying.model.calls(("remember", {"key": "language", "value": "German"}))
    await dying.manager.start()
    await store.accept(arrival(UserInput(content="German, please", name="Maya"), source="u_maya"))
    dying.manager.nudge("r_1")
    async with asyncio.timeout(20):
        while not dying.store.is_dead:
            await asyncio.sleep(0.01)
    await dying.manager.stop()
    await store.claim_all_stale()

    living = Desk(store, clock)
    living.model.calls(("remember", {"key": "language", "value": "German"}))
    if after:
        living.model.parts.clear()
    await living.manager.start()
    await living.says("still there?")
    await living.manager.stop()

    rows = [row for row in await versions() if row.key == "language"]
    named = [
        event.payload
        for event in await store.events("r_1", 0)
        if isinstance(event.payload, ToolResult) and event.payload.memory is not None
    ]
    assert [(row.value, row.version) for row in rows] == [("German", 1)]
    assert len(named) == 1
