"""The WebSockets of a session. They only read; writing is always a POST."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import aclosing

from channels.generic.websocket import AsyncWebsocketConsumer

from studio.hub import ReaderClosed
from studio.live.entrance import cursor_of, pass_of
from studio.live.frame import OutFrame
from studio.live.log import in_thread
from studio.live.passes import TooManyStreams, admitted, doorkeeper
from studio.live.watch import Watch
from studio.queries.viewer import Viewer
from studio.wiring import running

log = logging.getLogger(__name__)

ENDED, ONLY_READ, NOT_FOUND, TOO_MANY, BROKEN = 4403, 4405, 4404, 4429, 1011

Render = Callable[[OutFrame, Viewer], Mapping[str, str]]
"""A frame as HTML: what to put where, by the name of the place."""


class SessionSocket(AsyncWebsocketConsumer):
    """`/ws/sessions/ID?after=POS`: the frames of amp.md as JSON text."""

    watch: Watch | None = None
    task: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        pass_ = await pass_of(self.scope)
        if pass_ is None:
            await self.close()
            return
        await self.accept()
        found = await admitted(pass_, self.scope["url_route"]["kwargs"]["session"])
        if found is None:
            await self.close(NOT_FOUND, "There is no such session, or it is not yours to see.")
            return
        session, viewer = found
        self.watch = Watch(session, viewer, running().hub, cursor_of(self.scope["query_string"].decode("latin-1")))
        try:
            doorkeeper.enter(self.watch, pass_)
        except TooManyStreams as error:
            await self.close(TOO_MANY, str(error))
            return
        self.task = asyncio.create_task(self._stream(self.watch), name="socket")

    async def disconnect(self, code: int) -> None:
        if self.task is not None:
            self.task.cancel()
        if self.watch is not None:
            doorkeeper.leave(self.watch)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        await self.close(ONLY_READ, "This socket only reads. Send events with a POST.")

    async def encoded(self, frames: list[OutFrame], viewer: Viewer) -> list[str]:
        """The frames as they are sent."""
        return [frame.as_json() for frame in frames]

    async def _stream(self, watch: Watch) -> None:
        try:
            async with aclosing(watch.batches()) as batches:
                async for frames in batches:
                    for text in await self.encoded(frames, watch.viewer):
                        await self.send(text_data=text)
        except ReaderClosed as closed:
            await self.close(ENDED, str(closed))
        except Exception:
            log.exception("the stream of session %s broke; its reader comes back", watch.session.public_id)
            await self.close(BROKEN)
        finally:
            doorkeeper.leave(watch)


class PageSocket(SessionSocket):
    """`/ws/pages/sessions/ID?after=POS`: the same frames, with the HTML that the pages put in place."""

    def __init__(self, render: Render) -> None:
        super().__init__()
        self.render = render

    async def encoded(self, frames: list[OutFrame], viewer: Viewer) -> list[str]:
        if all(frame.event in ("delta", "ping", "progress") for frame in frames):
            return [frame.as_json() for frame in frames]
        return await in_thread(self._rendered)(frames, viewer)

    def _rendered(self, frames: list[OutFrame], viewer: Viewer) -> list[str]:
        return [frame.as_json(html=dict(self.render(frame, viewer))) for frame in frames]
