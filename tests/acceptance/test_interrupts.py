"""Promise 6: urgent events cancel in time, and nothing of the cancelled answer follows."""

import asyncio
import json
import random
from collections.abc import Iterator

import pytest
from websockets.asyncio.client import connect

from tests.acceptance.stage import Run, Stage, set_stage
from tests.amp import Amp
from tests.live.view import View
from tests.model_server.reply import say

SESSIONS, INTERRUPTS_EACH = 20, 15
STORY = " ".join(f"word{number}" for number in range(4000))


@pytest.fixture(scope="module")
def stage(tmp_path_factory) -> Iterator[Stage]:
    with set_stage(tmp_path_factory.mktemp("interrupts") / "seed", idempotent=True) as stage:
        yield stage


class Reader:
    """A socket that takes every frame, and notes what came of an answer after its cut."""

    def __init__(self, amp: Amp, session: str) -> None:
        self.amp, self.session = amp, session
        self.view = View()
        self.cut: set[tuple[int, int]] = set()
        self.after_the_cut: list[dict] = []
        self.changed = asyncio.Condition()
        self.error: Exception | None = None

    async def read(self) -> None:
        """Until it is cancelled; what goes wrong is raised by `until`."""
        try:
            await self._read()
        except Exception as error:  # noqa: BLE001  # `until` raises it again
            self.error = error
            async with self.changed:
                self.changed.notify_all()

    async def _read(self) -> None:
        url = f"{self.amp.url.replace('http', 'ws')}/ws/sessions/{self.session}"
        async with connect(url, additional_headers=self.amp.headers, max_size=None) as socket:
            async for text in socket:
                await self._take(json.loads(text))

    async def _take(self, frame: dict) -> None:
        data = frame["data"]
        if frame["event"] == "delta" and (data["step"], data["attempt"]) in self.cut:
            self.after_the_cut.append(data)
        if frame["event"] == "event" and data["type"] == "step.aborted":
            self.cut.add((data["step"], 1))
        async with self.changed:
            self.view.take(frame)
            self.changed.notify_all()

    async def until(self, condition) -> None:
        async with asyncio.timeout(30), self.changed:
            await self.changed.wait_for(lambda: self.error or condition(self.view))
        if self.error is not None:
            raise self.error


async def interrupt_again_and_again(amp: Amp, chance: random.Random) -> tuple[Reader, int]:
    """One session: a stream, a random moment, some queued messages, an interrupt; many times."""
    session = (await asyncio.to_thread(amp.start, "worker"))["id"]
    reader = Reader(amp, session)
    reading = asyncio.create_task(reader.read())
    queued = 0
    await asyncio.to_thread(amp.say, session, "Tell me a story.")
    for number in range(INTERRUPTS_EACH):
        wanted = chance.randrange(0, 12)
        await reader.until(lambda view, wanted=wanted: _words(view) >= wanted)
        for extra in range(chance.randrange(3)):
            await asyncio.to_thread(amp.say, session, f"queued {number} {extra}")
            queued += 1
        await stop(amp, session, content=f"stop {number}")
        await reader.until(lambda view, number=number: _stops(view) > number)
    await stop(amp, session, payload={"respond": False})
    await reader.until(lambda view: _stops(view) > INTERRUPTS_EACH)
    reading.cancel()
    return reader, queued


async def stop(amp: Amp, session: str, **more) -> None:
    body = {"type": "user.interrupt", **more}
    status, answer = await asyncio.to_thread(amp.call, "POST", f"/sessions/{session}/events", body)
    assert status == 202, answer


def _words(view: View) -> int:
    return max((len(shown.output.split()) for shown in view.open.values()), default=-1)


def _stops(view: View) -> int:
    return sum(event["type"] == "user.interrupt" for event in view.events)


async def test_300_interrupts_at_random_moments_of_a_stream(stage, tmp_path):
    stage.model.script(otherwise=say(STORY, tokens_per_second=100))
    run = Run(stage, tmp_path / "data")
    await asyncio.to_thread(run.server.start)
    seen = len(stage.model.bodies)

    ended = await asyncio.gather(
        *(interrupt_again_and_again(run.amp, random.Random(number)) for number in range(SESSIONS))
    )

    cuts = 0
    for reader, queued in ended:
        events = reader.view.events
        assert reader.after_the_cut == []
        cuts += sum(event["type"] == "step.aborted" for event in events)
        assert sum(event["type"] == "user.input" for event in events) == queued + 1
        for place, event in enumerate(events):
            if event["type"] == "step.aborted":
                _is_a_cut(events, place)
    bodies = stage.model.bodies[seen:]
    started = sum(event["type"] == "step.started" for reader, _ in ended for event in reader.view.events)
    assert len(bodies) == started
    assert cuts >= SESSIONS * INTERRUPTS_EACH * 0.9
    assert stage.model.open_generations == 0
    _prompts_hold_queue_and_interrupt_in_order(bodies)
    await asyncio.to_thread(run.server.stop)
    await asyncio.to_thread(run.server.manage, "verify")


def _is_a_cut(events: list[dict], place: int) -> None:
    """Before it the text that was shown, marked; after it the queue in order of arrival, and last the urgent event."""
    before = events[place - 1]
    assert before["type"] == "step.started" or before["payload"]["interrupted"]
    after = [event["type"] for event in events[place + 1 :]]
    taken = after[: after.index("user.interrupt")]
    assert set(taken) <= {"user.input"}


def _prompts_hold_queue_and_interrupt_in_order(bodies: list[dict]) -> None:
    for body in bodies:
        last = body["messages"][-1]["content"]
        if "<interrupt" in last:
            assert last.rindex("<interrupt") > last.rfind("queued")
