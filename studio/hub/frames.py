"""What the hub hands to readers. Whom it may be shown to is decided by the reader's door."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from runtime.domain.trajectory import Event
from runtime.ports import Projection


@dataclass(frozen=True, slots=True)
class Recorded:
    """Events that are in the trajectory now, with their pos, and what lists show since then."""

    rollout: str
    agent: str
    events: tuple[Event, ...]
    projection: Projection


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a half-made answer. `since` is the seq of its `step.started`; `offset` counts code points.

    `is_called`: of an agent that another one called, so that what it says may be for that one. `shows_thoughts`: to
    whoever takes part.
    """

    rollout: str
    agent: str
    since: int
    step: int
    attempt: int
    block: int
    offset: int
    kind: str
    text: str
    is_called: bool = False
    shows_thoughts: bool = False

    @property
    def end(self) -> int:
        return self.offset + len(self.text)

    def follows(self, other: "Delta") -> bool:
        """Whether it goes on exactly where the other ends."""
        mine = (self.rollout, self.since, self.block, self.offset)
        return mine == (other.rollout, other.since, other.block, other.end)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tool is."""

    rollout: str
    agent: str
    call_id: str
    done: int | None
    total: int | None
    note: str


@dataclass(frozen=True, slots=True)
class Queued:
    """A hint: the pending queue of this rollout grew or shrank."""

    rollout: str


@dataclass(frozen=True, slots=True)
class Changed:
    """A hint: the session has another title, state or rollout, or was erased."""


@dataclass(frozen=True, slots=True)
class Behind:
    """The reader was too slow: what it had not taken was thrown away, and is to be read again."""


@dataclass(frozen=True, slots=True)
class Ping:
    """Nothing has happened; the reader's connection is kept alive."""


Frame = Recorded | Delta | Progress | Queued | Changed | Behind | Ping


def joined(frames: Iterable[Frame]) -> list[Frame]:
    """The same frames, with pieces that follow each other put together."""
    result: list[Frame] = []
    for frame in frames:
        last = result[-1] if result else None
        if isinstance(frame, Delta) and isinstance(last, Delta) and frame.follows(last):
            result[-1] = replace(last, text=last.text + frame.text)
        else:
            result.append(frame)
    return result
