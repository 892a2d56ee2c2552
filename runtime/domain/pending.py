"""An accepted event that is not yet in its trajectory."""

from dataclasses import dataclass

from runtime.domain.events import Payload


@dataclass(frozen=True, slots=True)
class Pending:
    """`order` is the order of arrival; `received_at` in microseconds."""

    id: str
    payload: Payload
    source: str
    received_at: int
    order: int = 0
