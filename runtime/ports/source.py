"""The port for sources: places outside that are looked at now and again, to see what has happened there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened. `key` names it for ever, so that it is taken once; `body` is JSON for the agent."""

    key: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Look:
    """What is new since a cursor, the oldest first; and the cursor from which to go on once all of it was taken."""

    happenings: Sequence[Happening]
    cursor: str


class Source(Protocol):
    """Something that is looked at. It keeps nothing itself: its cursor is stored for it."""

    @property
    def every_seconds(self) -> float:
        """How often it is looked at."""
        ...

    async def look(self, cursor: str) -> Look:
        """What has happened since. With an empty cursor, the first time: nothing, and the cursor of now.

        The same cursor may come again, after a crash: what was seen then must have the same keys. Raises ToolFailed,
        in words for the agent's author, if it cannot be looked at now.
        """
        ...
