"""Readers whose connection is cut at random moments end with every event once, and never show a hole in a text."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import pytest
from websockets import ConnectionClosed
from websockets.asyncio.client import connect

from tests.amp import Amp, sign_up
from tests.live.view import View

READERS, CUTS_EACH = 10, 20
LONG = " ".join(f"word-{number} 가나 👋" for number in range(24))


async def frames_of_socket(amp: Amp, session: str, pos: int) -> AsyncIterator[dict[str, Any]]:
    url = f"{amp.url.replace('http', 'ws')}/ws/sessions/{session}?after={pos}"
    async with connect(url, additional_headers=amp.headers, max_size=None) as socket:
        async for text in socket:
            yield json.loads(text)


async def frames_of_stream(amp: Amp, session: str, pos: int) -> AsyncIterator[dict[str, Any]]:
    headers = amp.headers | {"Last-Event-ID": str(pos)}
    async with (
        aiohttp.ClientSession() as client,
        client.get(f"{amp.url}/amp/v1/sessions/{session}/stream", headers=headers) as response,
    ):
        assert response.status == 200
        frame: dict[str, Any] = {}
        async for line in response.content:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            match name:
                case "id":
                    frame["id"] = int(value)
                case "event":
                    frame["event"] = value
                case "data":
                    frame["data"] = json.loads(value)
                case "":
                    yield frame
                    frame = {}


async def read(amp: Amp, session: str, view: View, seconds: float, last: int | None = None) -> None:
    """One connection, cut that time after its first frame, or now and then before it; or until the event at `last`."""
    frames = random.choice([frames_of_socket, frames_of_stream])(amp, session, view.pos)
    try:
        async with asyncio.timeout(seconds if random.random() < 0.2 else 20) as limit:
            is_first = True
            async for frame in frames:
                if is_first:
                    limit.reschedule(asyncio.get_running_loop().time() + seconds)
                    is_first = False
                view.take(frame)
                if last is not None and view.pos >= last:
                    return
    except (TimeoutError, ConnectionClosed):
        view.cut()
    finally:
        await frames.aclose()


async def read_with_cuts(amp: Amp, session: str, view: View, talking: asyncio.Task[None]) -> None:
    cuts = 0
    while cuts < CUTS_EACH or not talking.done():
        await read(amp, session, view, random.uniform(0.02, 0.7))
        cuts += 1


async def talk(amp: Amp, session: str) -> None:
    """Three long answers, and a stop in the middle of the last."""
    for number in range(3):
        await asyncio.to_thread(amp.say, session, f"{number} {LONG}")
        await until(amp, session, lambda rollout, steps=number + 1: rollout["steps"] == steps)
        if number < 2:
            await until(amp, session, lambda rollout: rollout["lifecycle"] == "waiting")
    await asyncio.to_thread(amp.call, "POST", f"/sessions/{session}/events", {"type": "user.interrupt"})


async def until(amp: Amp, session: str, is_so: Callable[[dict[str, Any]], bool]) -> int:
    """The session's last pos as soon as that holds of its rollout."""
    while True:
        _, found = await asyncio.to_thread(amp.call, "GET", f"/sessions/{session}")
        if is_so(found["rollouts"][0]):
            return int(found["last_pos"])
        await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_200_random_cuts_leave_every_reader_with_every_event_once(server):
    amp = await asyncio.to_thread(sign_up, server, "mia")
    await asyncio.to_thread(amp.publish, "echo")
    session = (await asyncio.to_thread(amp.start, "echo"))["id"]
    views = [View() for _ in range(READERS)]

    async with asyncio.timeout(90):
        talking = asyncio.create_task(talk(amp, session))
        await asyncio.gather(*(read_with_cuts(amp, session, view, talking) for view in views))
        await talking
        last = await until(amp, session, lambda rollout: rollout["lifecycle"] == "waiting" and not rollout["pending"])
        await asyncio.gather(*(read(amp, session, view, 20, last) for view in views if view.pos < last))

    recorded = await asyncio.to_thread(amp.events, session)
    assert [view.events for view in views] == [recorded] * READERS
    assert sum(view.joined_in_mid_answer for view in views) > READERS
    assert sum(view.deltas for view in views) > READERS
