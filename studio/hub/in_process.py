"""The hub of a process: rooms of readers by session, and the open steps of the rollouts that run here."""

import threading
from collections import defaultdict
from collections.abc import Sequence

from runtime.domain.events import StepAborted, StepCompleted, StepStarted
from runtime.domain.trajectory import Event
from runtime.ports import Projection, RolloutInfo
from studio.hub.frames import Changed, Delta, Frame, Progress, Queued, Recorded
from studio.hub.open_step import OpenStep
from studio.hub.reader import Reader


class InProcessHub:
    """Implements `runtime.ports.Hub`. Deltas live here alone, and only while their step is open.

    What it says is a hint, but for deltas: a reader that sees a gap in `pos` reads the log.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rooms: defaultdict[str, set[Reader]] = defaultdict(set)
        self._session_of: dict[str, str] = {}
        self._open: dict[str, OpenStep] = {}

    # -- what the runtime says

    def recorded(self, info: RolloutInfo, events: Sequence[Event], projection: Projection) -> None:
        with self._lock:
            for event in events:
                self._follow(info, event)
            self._tell(info.session, Recorded(info.rollout, info.agent, tuple(events), projection))

    def delta(self, info: RolloutInfo, step: int, attempt: int, block: int, offset: int, kind: str, text: str) -> None:
        with self._lock:
            opened = self._open.get(info.rollout)
            if opened is None or (opened.step, opened.attempt) != (step, attempt):
                return
            opened.add(block, kind, text)
            place = (opened.since, step, attempt, block, offset)
            sight = (opened.is_called, opened.shows_thoughts)
            self._tell(info.session, Delta(info.rollout, info.agent, *place, kind, text, *sight))

    def progress(self, info: RolloutInfo, call_id: str, done: int | None, total: int | None, note: str) -> None:
        with self._lock:
            self._tell(info.session, Progress(info.rollout, info.agent, call_id, done, total, note))

    def queued(self, rollout: str) -> None:
        with self._lock:
            session = self._session_of.get(rollout)
            if session is not None:
                self._tell(session, Queued(rollout))

    # -- what services say

    def changed(self, session: str) -> None:
        """The session has another title, state or rollout."""
        with self._lock:
            self._tell(session, Changed())

    def erased(self, session: str) -> None:
        """Nothing of the session may be handed out any more."""
        with self._lock:
            self._open = {rollout: step for rollout, step in self._open.items() if step.session != session}
            self._tell(session, Changed())

    # -- readers

    def join(self, session: str) -> Reader:
        """A reader of that session from now on; on the running loop."""
        reader = Reader()
        with self._lock:
            self._rooms[session].add(reader)
        return reader

    def watch(self, session: str, rollouts: Sequence[str]) -> None:
        """These rollouts are the session's: so that a word about their queues finds its readers."""
        with self._lock:
            if session in self._rooms:
                self._session_of.update(dict.fromkeys(rollouts, session))

    def leave(self, session: str, reader: Reader) -> None:
        with self._lock:
            room = self._rooms.get(session)
            if room is None:
                return
            room.discard(reader)
            if not room:
                del self._rooms[session]
                self._session_of = {key: value for key, value in self._session_of.items() if value != session}

    def open_texts(self, rollout: str) -> tuple[OpenStep, list[tuple[int, str, str]]] | None:
        """The step in flight and (block, kind, text so far) of each of its blocks; None if there is none."""
        with self._lock:
            opened = self._open.get(rollout)
            return None if opened is None else (opened, list(opened.texts()))

    @property
    def readers(self) -> int:
        """How many readers there are."""
        return sum(len(room) for room in self._rooms.values())

    # -- inside

    def _follow(self, info: RolloutInfo, event: Event) -> None:
        match event.payload:
            case StepStarted(attempt=attempt, shows_thoughts=shows):
                place = (event.seq, event.step or 0, attempt)
                self._open[info.rollout] = OpenStep(info.session, info.agent, *place, bool(info.parent), shows)
            case StepCompleted() | StepAborted():
                self._open.pop(info.rollout, None)

    def _tell(self, session: str, frame: Frame) -> None:
        for reader in self._rooms.get(session, ()):
            reader.offer(frame)
