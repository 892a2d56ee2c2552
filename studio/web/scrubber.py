"""The big tape: one tick an event, in order. Of long trajectories it is drawn from bins."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from studio.queries.trajectory import Envelope

MOST_TICKS = 400
SHARE, WIDEST = 0.64, 1.5
_RANK = {"interrupt": 4, "input": 3, "action": 2, "thinking": 1}


@dataclass(frozen=True, slots=True)
class Tick:
    """`x` and `width` in per cent. `kind`: a category, `record` or `hidden`."""

    kind: str
    x: float
    width: float
    seq: int
    is_after: bool


@dataclass(frozen=True, slots=True)
class Scrubber:
    """`head`: the seq at which one stands; `knob`: its place in per cent."""

    ticks: Sequence[Tick]
    head: int
    last: int
    knob: float
    sentence: str
    at: str
    before: int
    after: int


def scrubber_of(envelopes: Sequence[Envelope], head: int) -> Scrubber:
    """The tape of a trajectory, standing at `head`."""
    count = len(envelopes)
    current = envelopes[head - 1] if 0 < head <= count else None
    step = current.get("step") if current is not None else None
    where = f", llm_{step}" if step is not None else ""
    return Scrubber(
        ticks=_ticks(envelopes, head),
        head=head,
        last=count,
        knob=round(100 * (head - 0.5) / count, 3) if count else 0,
        sentence=f"Event {head} of {count}{where}",
        at=str(current.get("at", "")) if current is not None else "",
        before=max(1, head - 1),
        after=min(count, head + 1),
    )


def tick_kind(event: Envelope) -> str:
    """Model calls are thinking; other records are small."""
    if event.get("hidden"):
        return "hidden"
    if event["type"] == "step.started":
        return "thinking"
    return "record" if event["category"] == "lifecycle" else str(event["category"])


def _ticks(envelopes: Sequence[Envelope], head: int) -> list[Tick]:
    count = len(envelopes)
    size = max(1, -(-count // MOST_TICKS))
    ticks = []
    for start in range(0, count, size):
        kinds = Counter(tick_kind(event) for event in envelopes[start : start + size])
        kind = max(kinds, key=lambda name: (_RANK.get(name, 0), kinds[name]))
        place = 100 * min(size, count - start) / count
        width = min(place * SHARE, WIDEST)
        x = 100 * start / count + (place - width) / 2
        ticks.append(Tick(kind, round(x, 3), round(width, 3), start + 1, start + 1 > head))
    return ticks
