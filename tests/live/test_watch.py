"""What a reader is sent while an agent speaks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from asgiref.sync import sync_to_async

from runtime.engine.clock import SystemClock
from runtime.engine.executor import Executor
from runtime.engine.manager import Manager
from runtime.engine.shell import Shell
from runtime.ports import RolloutInfo
from studio.hub import Delta
from studio.hub.reader import MAX_FRAMES
from studio.live.watch import Watch
from studio.models import AmpSession
from studio.queries.viewer import viewer_of
from studio.services.control import Action, control_rollout
from studio.services.messages import ClientEvent, post_event, withdraw_pending
from studio.wiring import running
from tests.builders import ScriptedModel, accept_all
from tests.live.view import View
from tests.sessions import rollout_of


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
async def manager(session, model) -> AsyncIterator[Manager]:
    """Runs the session's rollout in the test's loop, with the scripted model."""
    here, clock = running(), SystemClock()
    executor = Executor(lambda name: None, here.store, clock)
    here.manager = Manager(Shell(here.store, here.hub, clock, model, executor, accept_all), here.bind, "test")
    await here.manager.start()
    yield here.manager
    await here.manager.stop()
    here.manager = None


class Listener:
    """A reader that takes what comes, into a view, as fast as it is asked to."""

    def __init__(self, watch: Watch) -> None:
        self.watch, self.view = watch, View()
        self.frames: list[dict] = []
        self._batches = watch.batches()

    async def until(self, is_so) -> None:
        """Take frames until that holds."""
        async with asyncio.timeout(5):
            while not is_so(self):
                for frame in await anext(self._batches):
                    self.frames.append({"event": frame.event, "id": frame.id, "data": frame.data})
                    self.view.take(self.frames[-1])

    async def close(self) -> None:
        await self._batches.aclose()

    @property
    def types(self) -> list[str]:
        return [event.get("type", "hidden") for event in self.view.events]

    @property
    def shown(self) -> str:
        """The half-made answer."""
        return "".join(item.output for item in self.view.open.values())


def has_text(text: str):
    return lambda listener: listener.shown == text


def has(type_: str):
    return lambda listener: type_ in listener.types


def was_told(name: str):
    return lambda listener: any(frame["event"] == name for frame in listener.frames)


@asynccontextmanager
async def listening(session: AmpSession, user, after: int = 0) -> AsyncIterator[Listener]:
    viewer = await sync_to_async(viewer_of)(session, user)
    listener = Listener(Watch(session, viewer, running().hub, after))
    try:
        yield listener
    finally:
        await listener.close()


async def say(session, user, text: str):
    return await sync_to_async(post_event)(user, session, ClientEvent("user.input", text))


async def test_pieces_reach_the_reader_while_the_model_speaks(people, session, manager, model):
    model.says("one two three", hold_after=2)
    async with listening(session, people["member"]) as listener:
        await listener.until(was_told("snapshot"))
        await say(session, people["member"], "count")
        await model.holding()

        await listener.until(has_text("one two"))
        model.go()
        await listener.until(has("step.completed"))

    assert listener.types == ["rollout.started", "user.input", "step.started", "agent.output", "step.completed"]


async def test_who_comes_to_a_session_with_nothing_to_send_learns_that_it_is_live(people, session, manager):
    rollout = await sync_to_async(rollout_of)(session)
    await sync_to_async(control_rollout)(people["member"], rollout, Action.CANCEL)
    async with listening(session, people["member"]) as first:
        await first.until(has("rollout.cancelled"))
        last = first.view.events[-1]["pos"]

    async with listening(session, people["member"], after=last) as second:
        await second.until(lambda listener: listener.frames)

    assert [frame["event"] for frame in second.frames] == ["ping"]


async def test_who_joins_in_mid_answer_has_the_text_so_far_and_then_the_rest(people, session, manager, model):
    model.says("one two three", hold_after=2)
    await say(session, people["member"], "count")
    await model.holding()

    async with listening(session, people["member"]) as listener:
        await listener.until(has_text("one two"))
        model.go()
        await listener.until(has("step.completed"))

    assert listener.view.joined_in_mid_answer == 1
    assert listener.view.events[3]["payload"]["content"] == "one two three"


async def test_who_comes_back_is_sent_what_it_has_not_got(people, session, manager, model):
    async with listening(session, people["member"]) as first:
        await first.until(was_told("snapshot"))
        await say(session, people["member"], "hello")
        await first.until(has("step.completed"))

    async with listening(session, people["member"], after=3) as second:
        second.view.pos = 3
        await second.until(was_told("snapshot"))

    assert second.types == first.types[3:]


async def test_a_slow_reader_is_sent_a_snapshot_in_place_of_a_backlog(people, session, manager, model):
    model.says("one two three four", hold_after=3)
    async with listening(session, people["member"]) as listener:
        await listener.until(was_told("snapshot"))
        rollout = (await sync_to_async(rollout_of)(session)).public_id
        await say(session, people["member"], "count")
        await model.holding()

        info = RolloutInfo(rollout, session.public_id, "", "echo", 1, "")
        for number in range(MAX_FRAMES + 1):
            running().hub.progress(info, "0.0", number, None, "")
        await listener.until(has_text("one two three"))
        model.go()
        await listener.until(has("step.completed"))

    assert not any(frame["event"] == "progress" for frame in listener.frames)
    assert not any(frame["event"] == "delta" and frame["data"]["offset"] == 0 for frame in listener.frames)


async def test_a_reader_that_misses_a_piece_is_sent_the_text_anew(people, session, manager, model):
    model.says("one two three", hold_after=2)
    async with listening(session, people["member"]) as listener:
        await listener.until(was_told("snapshot"))
        await say(session, people["member"], "count")
        await model.holding()
        await listener.until(has_text("one two"))

        rollout = next(iter(listener.view.open))
        lost = Delta(rollout, "echo", 3, 0, 1, 0, 99, "output", "x")
        running().hub._tell(session.public_id, lost)
        await listener.until(lambda it: sum(frame["event"] == "snapshot" for frame in it.frames) == 2)

        assert listener.shown == "one two"
        model.go()
        await listener.until(has("step.completed"))


async def test_a_stop_withdraws_the_half_made_text_and_leaves_what_was_shown(people, session, manager, model):
    model.says("one two three", hold_after=2)
    async with listening(session, people["member"]) as listener:
        await say(session, people["member"], "count")
        await model.holding()
        await listener.until(has_text("one two"))

        await sync_to_async(post_event)(people["member"], session, ClientEvent("user.interrupt", "enough"))
        await listener.until(has("user.interrupt"))

        cut = next(event for event in listener.view.events if event["type"] == "agent.output")
        assert {"content": "one two", "to": "", "interrupted": True}.items() <= cut["payload"].items()
        assert listener.shown == ""


async def test_waiting_messages_come_and_go(people, session):
    async with listening(session, people["member"]) as listener:
        await listener.until(was_told("snapshot"))
        accepted = await say(session, people["member"], "hello")
        await listener.until(was_told("pending"))
        listener.frames.clear()
        await sync_to_async(withdraw_pending)(people["member"], session, accepted.id)
        await listener.until(was_told("pending"))

    gone = next(frame["data"] for frame in listener.frames if frame["event"] == "pending")
    assert gone == {"rollout": accepted.rollout, "id": accepted.id, "removed": True}


async def test_a_lost_word_from_the_hub_is_made_up_for_by_the_log(people, session, manager, model):
    hub = running().hub
    async with listening(session, people["member"]) as listener:
        await listener.until(was_told("snapshot"))
        room, hub._rooms = hub._rooms, type(hub._rooms)(set)  # nobody is told of this turn
        await say(session, people["member"], "first")
        async with listening(session, people["admin"]) as other:
            await other.until(has("step.completed"))
        hub._rooms = room
        await say(session, people["member"], "second")

        await listener.until(lambda it: it.types.count("step.completed") == 2)

    assert [event["pos"] for event in listener.view.events] == list(range(1, len(listener.view.events) + 1))


async def test_no_row_is_written_for_a_piece_and_every_reader_gets_every_piece(people, session, manager, model):
    text = " ".join(f"word{number}" for number in range(200))
    model.says(text)
    readers = []
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            viewer = await sync_to_async(viewer_of)(session, people["member"])
            listener = Listener(Watch(session, viewer, running().hub))
            await listener.until(was_told("snapshot"))
            readers.append(listener)
        await say(session, people["member"], "go")
        for listener in readers:
            group.create_task(listener.until(has("step.completed")))

    assert [frame["data"]["pos"] for frame in readers[0].frames if frame["event"] == "event"] == [1, 2, 3, 4, 5]
    for listener in readers:
        pieces = [frame["data"]["text"] for frame in listener.frames if frame["event"] == "delta"]
        assert "".join(pieces) == text
        await listener.close()
