"""What a turn costs does not grow with the session: statements and bytes read, counted (runtime.md, 2 and 8)."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from runtime.domain.agent import Agent, Window
from runtime.domain.events import UserInput
from runtime.domain.trajectory import Event
from runtime.engine.executor import Executor
from runtime.engine.manager import Manager
from runtime.engine.shell import Shell
from runtime.ports import Claimed, Projection, RolloutInfo
from runtime.providers.playbook import Line, Playbook
from studio.store import DjangoStore
from tests.builders import RecordingHub, accept_all
from tests.stores.builders import arrival, new_rollout

TURNS = 200


class ReadingStore(DjangoStore):
    """The store, which counts the bytes of what it was asked for."""

    read = 0

    async def queue(self, rollout: str) -> Any:
        return self._counted(await super().queue(rollout))

    async def events(self, rollout: str, after: int) -> Any:
        return self._counted(await super().events(rollout, after))

    async def claim(self, rollout: str, owner: str) -> Any:
        return self._counted(await super().claim(rollout, owner))

    def _counted(self, answer: Any) -> Any:
        shown = [(event.type, event.text) for event in answer] if isinstance(answer, list) else answer
        self.read += len(re.sub(r"[0-9]+", "0", repr(shown)))  # a number of more digits is no more to read
        return answer


@dataclass(slots=True)
class TurnEnds(RecordingHub):
    """Tells when the rollout has come to rest."""

    at_rest: asyncio.Event = field(default_factory=asyncio.Event)

    def recorded(self, info: RolloutInfo, events: Sequence[Event], projection: Projection) -> None:
        self.events.extend(events)
        if projection.lifecycle == "waiting":
            self.at_rest.set()


async def session(store: ReadingStore, clock, window: Window) -> tuple[list[tuple[int, int]], list[Event]]:
    """Statements and bytes read in each turn of a session; and its events."""
    agent = Agent(name="tester", model="playbook/echo", window=window, stream=False)
    hub, model = TurnEnds(), Playbook({"echo": lambda request: Line("words " * 50)})

    class Standing:
        now = staticmethod(clock.now)
        sleep = staticmethod(asyncio.sleep)

    shell = Shell(store, hub, Standing(), model, Executor({}.get, store, Standing()), accept_all, linger_seconds=60)

    async def bind(claimed: Claimed) -> Agent:
        return agent

    await store.create(new_rollout())
    manager = Manager(shell, bind, "worker")
    await manager.start()
    figures = []
    for number in range(TURNS):
        before = store.writer.counts.statements, store.read
        hub.at_rest.clear()
        await store.accept(arrival(UserInput(content=f"{number:04d} " + "words " * 50, name="Maya")))
        manager.nudge("r_1")
        async with asyncio.timeout(20):
            await hub.at_rest.wait()
        figures.append((store.writer.counts.statements - before[0], store.read - before[1]))
    await manager.stop()
    return figures, hub.events


def usual(figures: list[tuple[int, int]]) -> tuple[int, int]:
    """The smallest of some turns: what the manager's own looks add is none of the turn."""
    return min(one[0] for one in figures), min(one[1] for one in figures)


def test_a_turn_reads_as_much_at_turn_200_as_at_turn_10_and_asks_as_often(writer, clock):
    figures, events = asyncio.run(session(ReadingStore(writer), clock, Window(tokens=6_000)))

    assert usual(figures[5:15]) == usual(figures[-10:])
    assert any(event.type == "context.compacted" for event in events)
