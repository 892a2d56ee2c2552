"""An event with its envelope, and the chain that binds each event to its predecessor."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from runtime.domain.events import Category, Payload
from runtime.domain.events.versions import dump, load
from runtime.domain.memory import MemoryWrite
from runtime.domain.redaction import Redactor

SYSTEM = "system"
AGENT = "agent"
STUDIO = "Studio"
"""The name that stands where nobody but the framework acted."""
NO_PREDECESSOR = bytes(32)


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before it has a place: what happened, what it answers, and what it `writes` to people's memories."""

    payload: Payload
    source: str = SYSTEM
    step: int | None = None
    cause: int | None = None
    id: str = ""
    received_at: int = 0
    writes: tuple[MemoryWrite, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """One immutable fact of a rollout.

    `at` (recorded) and `received_at` (accepted) are microseconds since 1970, UTC. `id` is empty for events that were
    never pending: theirs follows from the rollout and the seq. `pos` is 0 until the store has given it.
    `previous` is the SHA-256 of the event before; neither pos nor session is covered, so that forks keep the chain.
    """

    seq: int
    payload: Payload
    source: str
    at: int
    received_at: int
    step: int | None
    cause: int | None
    id: str
    previous: bytes
    text: str
    pos: int = 0
    _sha256: bytes = field(default=b"", init=False, repr=False, compare=False)  # made once, when it is first asked for

    @property
    def type(self) -> str:
        return self.payload.type

    @property
    def category(self) -> Category:
        return self.payload.category

    @property
    def sha256(self) -> bytes:
        """What the next event carries as `previous`."""
        if not self._sha256:
            object.__setattr__(self, "_sha256", self._hashed())
        return self._sha256

    def at_pos(self, pos: int) -> "Event":
        """The same event, with the pos that the store has given it."""
        head = (self.seq, self.payload, self.source, self.at, self.received_at)
        placed = Event(*head, self.step, self.cause, self.id, self.previous, self.text, pos)
        object.__setattr__(placed, "_sha256", self._sha256)  # pos is not covered
        return placed

    def _hashed(self) -> bytes:
        head = (
            f"{self.seq}\n{self.type}\n{self.payload.version}\n{self.source}\n{self.at}\n{self.received_at}\n"
            f"{'' if self.step is None else self.step}\n{'' if self.cause is None else self.cause}\n{self.id}\n"
        )
        return hashlib.sha256(b"%b%b%b" % (self.previous, head.encode(), self.text.encode())).digest()


def place(draft: Draft, seq: int, at: int, previous: bytes) -> Event:
    """The draft as event `seq`, recorded at `at`."""
    return Event(
        seq=seq,
        payload=draft.payload,
        source=draft.source,
        at=at,
        received_at=draft.received_at or at,
        step=draft.step,
        cause=draft.cause,
        id=draft.id,
        previous=previous,
        text=dump(draft.payload),
    )


def without_secrets(event: Event, redactor: Redactor) -> Event:
    """The event, its payload built anew if it held a known secret."""
    text = redactor.redact_json(event.text)
    if text is event.text:
        return event
    payload = load(event.type, event.payload.version, text)
    return replace(event, text=dump(payload), payload=payload)


def harmless(payload: Payload, redactor: Redactor) -> Payload:
    """The payload, built anew without the known secrets if it held one."""
    text = dump(payload)
    redacted = redactor.redact_json(text)
    return payload if redacted is text else load(payload.type, payload.version, redacted)


def restore(*, type: str, v: int, text: str, **envelope: Any) -> Event:
    """An event from its stored parts. Raises UnknownEventType."""
    return Event(payload=load(type, v, text), text=text, **envelope)


class Chain[Item]:
    """A sequence that only grows, at its end: adding is O(1) and leaves the shorter one as it is."""

    __slots__ = ("before", "item", "length")

    def __init__(self, before: "Chain[Item] | None" = None, item: Item | None = None) -> None:
        self.before, self.item = before, item
        self.length: int = 0 if before is None else before.length + 1

    def plus(self, item: Item) -> "Chain[Item]":
        return Chain(self, item)

    def __len__(self) -> int:
        return self.length

    def backwards(self) -> Iterator[Item]:
        """The items, newest first."""
        node = self
        while node.before is not None:
            yield node.item  # type: ignore[misc]  # only the empty chain has no item
            node = node.before

    def __iter__(self) -> Iterator[Item]:
        return reversed(list(self.backwards()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chain) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # compared by value, so never a key

    def __repr__(self) -> str:
        return f"Chain({list(self)!r})"
