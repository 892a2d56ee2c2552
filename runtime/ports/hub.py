"""The port to readers."""

from collections.abc import Sequence
from typing import Protocol

from runtime.domain.trajectory import Event
from runtime.ports.rollout import Projection, RolloutInfo


class Hub(Protocol):
    """Publishes to readers. Never waits for a reader, never raises."""

    def recorded(self, info: RolloutInfo, events: Sequence[Event], projection: Projection) -> None:
        """Events that are in the trajectory now, with their pos."""
        ...

    def delta(self, info: RolloutInfo, step: int, attempt: int, block: int, offset: int, kind: str, text: str) -> None:
        """A piece of a half-made answer. `kind`: output, thought, args. `offset` in code points within the block."""
        ...

    def progress(self, info: RolloutInfo, call_id: str, done: int | None, total: int | None, note: str) -> None: ...

    def queued(self, rollout: str) -> None:
        """The pending queue of this rollout grew or shrank."""
        ...
