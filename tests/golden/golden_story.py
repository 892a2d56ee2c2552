"""A recorded story as a file of lines: its rollouts, then their events in the order of pos. See README.md."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.state import State
from runtime.domain.trajectory import Event, restore
from runtime.engine.binding import bind
from runtime.engine.change import project
from runtime.tools.registry import discover


@dataclass(frozen=True, slots=True)
class GoldenEvent:
    """An event as it was stored, its text untouched. Hashes are hexadecimal, times microseconds since 1970."""

    rollout: str
    pos: int
    seq: int
    type: str
    v: int
    source: str
    step: int | None
    cause: int | None
    id: str
    at: int
    received_at: int
    previous: str
    sha256: str
    text: str

    def restored(self) -> Event:
        """The event as this version of the runtime reads it."""
        envelope = {name: getattr(self, name) for name in ("seq", "source", "at", "received_at", "step", "cause", "id")}
        previous = bytes.fromhex(self.previous)
        return restore(type=self.type, v=self.v, text=self.text, pos=self.pos, previous=previous, **envelope)


@dataclass(frozen=True, slots=True)
class GoldenRollout:
    """A rollout: what it began with, and what its fold came to when it was recorded."""

    rollout: str
    parent: str
    agent: str
    version: int
    file: str
    tools: str | None
    projection: dict[str, Any]
    final: dict[str, Any]

    def bound(self) -> Agent:
        """Its agent, with the tools of its start."""
        return bind(self.file, version=self.version, registry=discover(), root="/nowhere", pinned=self.tools)


@dataclass(frozen=True, slots=True)
class GoldenStory:
    """All of it."""

    rollouts: Sequence[GoldenRollout]
    events: Sequence[GoldenEvent]

    def trajectory(self, rollout: str) -> list[GoldenEvent]:
        return [event for event in self.events if event.rollout == rollout]

    def write(self, path: Path) -> None:
        rows = [{"kind": "rollout", **asdict(row)} for row in self.rollouts]
        rows += [{"kind": "event", **asdict(event)} for event in self.events]
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def read(path: Path) -> GoldenStory:
    """The story of that file."""
    rollouts: list[GoldenRollout] = []
    events: list[GoldenEvent] = []
    for line in path.read_text().split("\n"):
        row = json.loads(line) if line else {"kind": ""}
        match row.pop("kind"):
            case "rollout":
                rollouts.append(GoldenRollout(**row))
            case "event":
                events.append(GoldenEvent(**row))
    return GoldenStory(rollouts, events)


def outcome(events: Sequence[Event], agent: Agent) -> tuple[dict[str, Any], dict[str, Any]]:
    """What lists show of the trajectory, and the state that it comes to."""
    state = fold(events)
    return asdict(project(state, agent)), _final(state)


def _final(state: State) -> dict[str, Any]:
    business = state.dealings.business
    return {
        "business_state": business.name,
        "vars": business.vars,
        "timers": sorted(timer.id for timer in state.dealings.timers),
        "open_calls": [call.id for call in state.open_calls],
    }
