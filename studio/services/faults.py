"""What the runtime refuses, as what a service refuses: with a status and a sentence that ends properly."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from runtime.domain.errors import RuntimeFault
from runtime.engine.binding import CannotBind
from runtime.ports import KeyReused, NoSuchRollout, QueueFull, RolloutEnded
from studio.errors import StudioError
from studio.store import NotThere, WriterClosed
from studio.store.delivering import TriggerOff


class Faulty(StudioError):
    """Carries the sentence of the fault that it stands for."""

    def __init__(self, fault: RuntimeFault) -> None:
        self.fault = fault

    def __str__(self) -> str:
        text = str(self.fault)
        return text[:1].upper() + text[1:].rstrip(".") + "."


class Gone(Faulty):
    status: ClassVar[int] = 404


class Conflict(Faulty):
    status: ClassVar[int] = 409


class OtherBody(Faulty):
    status: ClassVar[int] = 422


class TooMany(Faulty):
    status: ClassVar[int] = 429


class Stopping(Faulty):
    status: ClassVar[int] = 503


_STATUSES: dict[type[RuntimeFault], type[Faulty]] = {
    NoSuchRollout: Gone,
    NotThere: Gone,
    RolloutEnded: Conflict,
    TriggerOff: Conflict,
    KeyReused: OtherBody,
    CannotBind: OtherBody,
    QueueFull: TooMany,
    WriterClosed: Stopping,
}


@contextmanager
def refusals() -> Iterator[None]:
    """Raises the faults of the runtime that a person can do something about as StudioErrors."""
    try:
        yield
    except tuple(_STATUSES) as fault:
        raise _STATUSES[type(fault)](fault) from fault
