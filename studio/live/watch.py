"""What one reader of a session is sent: the log after its cursor, a snapshot of what is half-made, then live.

The hub's frames are hints, but for deltas: whatever is missing is read from the log.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from typing import Any

from runtime.domain.events import StepAborted, StepCompleted
from studio.hub import Behind, Changed, Delta, Frame, InProcessHub, Ping, Progress, Queued, Reader, Recorded
from studio.live.frame import OutFrame
from studio.live.log import Standing, last_pos, log_after, standings, waiting
from studio.live.texts import Hole, Texts
from studio.models import AmpSession
from studio.queries.rollouts import status_of_projection
from studio.queries.shown import Placed, Sight, is_delta_shown, shown_to, sight_of
from studio.queries.viewer import Viewer

PING_SECONDS = 15.0


class Watch:
    """One reader's view of one session. `viewer` may be replaced while it runs; `pos` is the cursor."""

    def __init__(self, session: AmpSession, viewer: Viewer, hub: InProcessHub, after: int = 0) -> None:
        self.session, self.viewer, self.pos = session, viewer, after
        self._hub = hub
        self._reader: Reader | None = None
        self._texts = Texts()
        self._agents: dict[str, str] = {}
        self._pending: dict[str, dict[str, dict[str, Any]]] = {}
        self._status: dict[str, dict[str, Any]] = {}
        self._ended = ""

    def close(self, reason: str) -> None:
        """End it, with a sentence."""
        self._ended = reason
        if self._reader is not None:
            self._reader.close(reason)

    async def batches(self) -> AsyncGenerator[list[OutFrame]]:
        """Frames in order, some at a time (or none); ends never by itself. Raises ReaderClosed after `close`.

        The caller sends each batch before it asks for the next: what arrives meanwhile is joined.
        """
        name = self.session.public_id
        self._reader = reader = self._hub.join(name)
        pinging = asyncio.create_task(_ping(reader), name="ping")
        try:
            if self._ended:
                reader.close(self._ended)
            async for batch in self._opening():
                yield batch
            while True:
                frames = await reader.take()
                pieces, torn, rest = self._pieces(frames)
                if pieces:
                    yield pieces
                if rest or torn:
                    async for batch in self._live(rest, torn):
                        yield batch
        finally:
            pinging.cancel()
            self._hub.leave(name, reader)

    # -- opening, and again after falling behind

    async def _opening(self) -> AsyncIterator[list[OutFrame]]:
        last = await last_pos(self.session.pk)
        if last is None:
            yield [self._gone()]
            return
        if not 0 <= self.pos <= last:
            self.pos = 0
            yield [OutFrame("reset", {"reason": "The cursor is not known here. Everything is sent anew."})]
        async for batch in self._snapshots(None):
            yield batch

    async def _snapshots(self, only: frozenset[str] | None) -> AsyncIterator[list[OutFrame]]:
        """The log to its end, then one snapshot for each live rollout (of these), taken when nothing is outstanding."""
        assert self._reader is not None
        async for batch in self._log():
            yield batch
        self._status.clear()
        standing = await standings(self.session, self.viewer)
        self._know(standing)
        was_changed = False
        while frames := self._reader.waiting():
            for recorded in (frame for frame in frames if isinstance(frame, Recorded)):
                async for batch in self._recorded(recorded):
                    yield batch
            was_changed |= any(isinstance(frame, Changed) for frame in frames)
            if any(isinstance(frame, Recorded | Queued | Changed | Behind) for frame in frames):
                async for batch in self._log():
                    yield batch
                standing = await standings(self.session, self.viewer)  # after the log: a queue without what it has
                self._know(standing)
        if was_changed:
            self._reader.offer(Changed())
        chosen = [item for item in standing if item.is_live and (only is None or item.rollout in only)]
        yield [self._snapshot(item) for item in chosen] or [OutFrame("ping", {})]  # so that it knows that it is live

    def _know(self, standing: Iterable[Standing]) -> None:
        self._agents |= {item.rollout: item.agent for item in standing}
        self._hub.watch(self.session.public_id, list(self._agents))

    def _snapshot(self, item: Standing) -> OutFrame:
        self._pending[item.rollout] = dict(item.pending)
        status = self._status.get(item.rollout, item.status) | {"pending": len(item.pending)}
        self._status[item.rollout] = status
        opened = self._hub.open_texts(item.rollout)
        shown = None
        if opened is not None and not self._texts.is_stale(item.rollout, opened[0].since):
            step, blocks = opened
            self._texts.restart(item.rollout, step.since, ((block, len(text)) for block, _, text in blocks))
            visible = [
                {"block": block, "kind": kind, "text": text}
                for block, kind, text in blocks
                if is_delta_shown(kind, item.agent, self.viewer, step)
            ]
            shown = {"step": step.step, "attempt": step.attempt, "blocks": visible}
        pending = list(item.pending.values())
        return OutFrame("snapshot", {"rollout": item.rollout, "status": status, "pending": pending, "open": shown})

    async def _log(self) -> AsyncIterator[list[OutFrame]]:
        while page := await log_after(self.session, self.pos):
            yield [frame for placed in page for frame in self._event(placed)]

    # -- live

    def _pieces(self, frames: Sequence[Frame]) -> tuple[list[OutFrame], set[str], Sequence[Frame]]:
        """What is to be sent of the pieces of text before anything else, the rollouts whose text has a hole, the rest.

        Nearly everything that comes is a piece: this way costs least.
        """
        out: list[OutFrame] = []
        torn: set[str] = set()
        for count, frame in enumerate(frames):
            if not isinstance(frame, Delta):
                return out, torn, frames[count:]
            piece = self._texts.take(frame)
            if isinstance(piece, Hole):
                torn.add(frame.rollout)
            elif piece is not None and self._shows(piece):
                out.append(_delta(piece))
        return out, torn, ()

    def _shows(self, piece: Delta) -> bool:
        return is_delta_shown(piece.kind, piece.agent, self.viewer, piece)

    async def _live(self, frames: Sequence[Frame], torn: set[str]) -> AsyncIterator[list[OutFrame]]:
        if any(isinstance(frame, Behind) for frame in frames):
            async for batch in self._snapshots(None):
                yield batch
            frames = [frame for frame in frames if isinstance(frame, Changed)]
        queued = {frame.rollout for frame in frames if isinstance(frame, Queued)}
        while frames:
            async for batch in self._one(frames[0]):
                yield batch
            pieces, more_torn, frames = self._pieces(frames[1:])
            torn |= more_torn
            yield pieces
        for rollout in queued:
            yield await self._queue(rollout)
        if torn:
            async for batch in self._snapshots(frozenset(torn)):
                yield batch

    async def _one(self, frame: Frame) -> AsyncIterator[list[OutFrame]]:
        match frame:
            case Recorded():
                async for batch in self._recorded(frame):
                    yield batch
            case Progress():
                yield self._progress(frame)
            case Changed():
                async for batch in self._changed():
                    yield batch
            case Ping():
                yield [OutFrame("ping", {})]

    async def _recorded(self, frame: Recorded) -> AsyncIterator[list[OutFrame]]:
        if frame.rollout not in self._agents:
            self._know(await standings(self.session, self.viewer))
        if frame.events and frame.events[0].pos > self.pos + 1:
            async for batch in self._log():
                yield batch
        session = self.session.public_id
        events = [Placed(session, frame.rollout, frame.agent, event) for event in frame.events]
        out = [made for placed in events if placed.event.pos > self.pos for made in self._event(placed)]
        status = status_of_projection(frame.rollout, frame.projection, len(self._pending.get(frame.rollout, ())))
        if self._status.get(frame.rollout) != status:
            self._status[frame.rollout] = status
            out.append(OutFrame("status", status))
        yield out

    def _event(self, placed: Placed) -> list[OutFrame]:
        event, rollout = placed.event, placed.rollout
        self.pos = event.pos
        if isinstance(event.payload, StepCompleted | StepAborted):
            self._texts.close(rollout, event.seq)
        out = [OutFrame("event", shown_to(placed, self.viewer), event.pos)]
        if event.id in self._pending.get(rollout, {}):
            del self._pending[rollout][event.id]
            out.append(_removed(rollout, event.id))
        return out

    def _progress(self, frame: Progress) -> list[OutFrame]:
        if sight_of("tool.started", frame.agent, self.viewer) is Sight.HIDDEN:
            return []
        shows_note = sight_of("tool.result", frame.agent, self.viewer) is Sight.FULL
        data = {"rollout": frame.rollout, "call_id": frame.call_id, "done": frame.done, "total": frame.total}
        return [OutFrame("progress", {**data, "note": frame.note if shows_note else ""})]

    async def _queue(self, rollout: str) -> list[OutFrame]:
        """What came into the pending queue and what left it, against what the reader was told."""
        now, known = await waiting(rollout, self.viewer), self._pending.get(rollout, {})
        self._pending[rollout] = now
        out = [OutFrame("pending", item) for id_, item in now.items() if id_ not in known]
        out += [_removed(rollout, id_) for id_ in known if id_ not in now]
        status = self._status.get(rollout)
        if out and status is not None:
            self._status[rollout] = status = status | {"pending": len(now)}
            out.append(OutFrame("status", status))
        return out

    async def _changed(self) -> AsyncIterator[list[OutFrame]]:
        if await last_pos(self.session.pk) is None:
            yield [self._gone()]
            return
        known = set(self._agents)
        self._know(await standings(self.session, self.viewer))
        if fresh := frozenset(self._agents) - known:
            async for batch in self._snapshots(fresh):
                yield batch

    def _gone(self) -> OutFrame:
        self.close("This session was deleted.")
        return OutFrame("reset", {"reason": "This session was deleted."})


async def _ping(reader: Reader) -> None:
    while True:
        await asyncio.sleep(PING_SECONDS)
        reader.offer(Ping())


def _delta(delta: Delta) -> OutFrame:
    data = {
        "rollout": delta.rollout,
        "step": delta.step,
        "attempt": delta.attempt,
        "block": delta.block,
        "offset": delta.offset,
        "kind": delta.kind,
        "text": delta.text,
    }
    return OutFrame("delta", data)


def _removed(rollout: str, id_: str) -> OutFrame:
    return OutFrame("pending", {"rollout": rollout, "id": id_, "removed": True})
