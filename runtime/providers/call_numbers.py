"""Numbers the calls of one answer from 0, whatever the provider numbers them."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class CallNumbers:
    """Some providers give every call the index 0 and a new id, some no index, some repeat id and name in each piece."""

    _places: dict[int | None, tuple[int, str]] = field(default_factory=dict)  # wire index -> (our index, wire id)
    _count: int = 0

    def place(self, wire_index: int | None, wire_id: str, name: str) -> tuple[int, bool]:
        """Our index of the call that this piece belongs to, and whether the call is new."""
        place = self._places.get(wire_index)
        if place is not None and not (name and _is_another(wire_index, wire_id, place[1])):
            return place[0], False
        index = self._count
        self._places[wire_index] = (index, wire_id)
        self._count += 1
        return index, True


def _is_another(wire_index: int | None, wire_id: str, known_id: str) -> bool:
    """Whether a piece with a name begins another call than the one at its index."""
    if wire_index is None or not known_id:
        return True
    return bool(wire_id) and wire_id != known_id
