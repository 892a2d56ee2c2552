"""How much of each half-made answer a reader has been given: so that it sees no hole and nothing twice."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from studio.hub import Delta


class Hole(Enum):
    """Something before this piece is missing: the reader needs a snapshot."""

    HOLE = auto()


@dataclass(slots=True)
class Given:
    """Of one rollout. `since` is the seq of the open attempt's `step.started`; lengths in code points by block."""

    since: int = 0
    lengths: dict[int, int] = field(default_factory=dict)


class Texts:
    """Of one reader, by rollout. An attempt that is closed, by an event that the reader has, is never shown again."""

    def __init__(self) -> None:
        self._given: dict[str, Given] = {}
        self._closed: dict[str, int] = {}

    def close(self, rollout: str, seq: int) -> None:
        """The reader has got the event `seq`, which replaces or withdraws the attempt that was open before."""
        self._closed[rollout] = max(seq, self._closed.get(rollout, 0))
        if self._given.get(rollout, Given()).since < seq:
            self._given.pop(rollout, None)

    def is_stale(self, rollout: str, since: int) -> bool:
        return since < self._closed.get(rollout, 0) or since < self._given.get(rollout, Given()).since

    def restart(self, rollout: str, since: int, lengths: Iterable[tuple[int, int]]) -> None:
        """The reader is given a snapshot of these blocks."""
        self._given[rollout] = Given(since, dict(lengths))

    def take(self, delta: Delta) -> Delta | Hole | None:
        """What of the piece is new to the reader; None if nothing is."""
        if self.is_stale(delta.rollout, delta.since):
            return None
        given = self._given.get(delta.rollout)
        if given is None or given.since != delta.since:
            given = self._given[delta.rollout] = Given(delta.since)
        known = given.lengths.get(delta.block, 0)
        if delta.offset > known or (delta.block and delta.block - 1 not in given.lengths):
            return Hole.HOLE
        if delta.end <= known:
            return None
        given.lengths[delta.block] = delta.end
        return replace(delta, offset=known, text=delta.text[known - delta.offset :])
