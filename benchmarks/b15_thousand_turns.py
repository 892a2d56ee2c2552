"""B15: a session of a thousand turns with a window that its history outgrows: flat cost, valid prompts, the prefix."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from benchmarks.meter import Meter
from benchmarks.reading import Reading
from benchmarks.stage import Stage, author, counts, publish_agent, seats, stage
from benchmarks.story import AGENT, PLAYBOOK, QUESTION, script
from runtime.domain.arguments import canonical
from runtime.domain.context import SUMMARY_TASK
from runtime.domain.tokens import tokens_of
from runtime.ports import Chunk, ModelRequest
from runtime.providers.playbook import Line, Playbook

TURNS, QUICK_TURNS, WIDTH = 1_000, 200, 10
WINDOW_TOKENS = 8_000
LONG_TOKENS = 2_000
"""From this length on the share of the prefix counts (runtime.md, 8)."""

LONG_AGENT = AGENT.replace("name: bench", "name: bench-long") + f"context: {{max_tokens: {WINDOW_TOKENS}}}\n"
MORE = " Think of the discount, the box, the string and the label, too." * 2
SUMMARY = "They asked again and again what six parcels at seven euros cost. It is 42 euros. " * 4


@dataclass(slots=True)
class Watched:
    """The playbook, which measures each request: how much repeats the one before, and whether its history is valid."""

    model: Playbook
    shares: list[float] = field(default_factory=list)
    compactions: int = 0
    invalid: int = 0
    longest_tokens: int = 0
    _before: Sequence[Mapping[str, Any]] = ()
    _is_exempt: bool = True
    _measured: dict[int, tuple[Mapping[str, Any], int, int]] = field(default_factory=dict)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        self._measure(request)
        async for chunk in self.model.stream(request):
            yield chunk

    def _measure(self, request: ModelRequest) -> None:
        measured = [self._of(message) for message in request.messages]
        lengths, tokens = [length for length, _ in measured], sum(size for _, size in measured)
        tools = len(canonical(list(request.tools)))
        same = _same(self._before, request.messages)
        is_summary = request.messages[-1] == SUMMARY_TASK
        if not (self._is_exempt or is_summary) and tokens > LONG_TOKENS:
            self.shares.append((tools + sum(lengths[:same])) / (tools + sum(lengths)))
        self.compactions += is_summary
        self.invalid += not _is_valid(request.messages)
        self.longest_tokens = max(self.longest_tokens, tokens)
        self._before, self._is_exempt = request.messages, is_summary

    def _of(self, message: Mapping[str, Any]) -> tuple[int, int]:
        """Characters and tokens of a message; measured once, since a message is shared by all requests that have it."""
        kept = self._measured.get(id(message))
        if kept is None:
            calls = "".join(call["name"] + call["arguments"] for call in message.get("tool_calls", ()))
            size = tokens_of(message["content"]) + tokens_of(calls)
            kept = self._measured[id(message)] = message, len(canonical(message)), size
        return kept[1], kept[2]


def measure(*, quick: bool) -> list[Reading]:
    user = author()
    publish_agent(user, LONG_AGENT)
    return asyncio.run(_studio(user, QUICK_TURNS if quick else TURNS))


async def _studio(user: Any, turns: int) -> list[Reading]:
    made = await asyncio.to_thread(seats, user, 2, "bench-long")
    watched = Watched(Playbook({PLAYBOOK: _script}))
    async with stage(watched) as studio:
        await studio.turns([made[0]], 2 * WIDTH)
        watched.shares.clear()
        cpu, statements = await _turns(studio, made[1], turns)
    early, late = cpu[WIDTH : 3 * WIDTH], cpu[-2 * WIDTH :]
    grown = median(statements[-2 * WIDTH :]) - median(statements[WIDTH : 3 * WIDTH])
    return [
        Reading("B15", "last turns against turn 20, CPU", median(late) / median(early), "times", goal=1.3),
        Reading("B15", "turn 20", 1000 * median(early), "ms CPU"),
        Reading("B15", "last turns", 1000 * median(late), "ms CPU"),
        Reading("B15", "more statements in the last turns than in turn 20", grown, "a turn", goal=0),
        Reading(
            "B15", "smallest share of a prompt that repeats", min(watched.shares), "of 1", goal=0.95, at_least=True
        ),
        Reading("B15", "compactions", watched.compactions, "in the session", goal=1, at_least=True),
        Reading("B15", "prompts that are no valid history", watched.invalid, "prompts", goal=0),
        Reading("B15", "longest prompt", watched.longest_tokens, "tokens", goal=WINDOW_TOKENS),
    ]


async def _turns(studio: Stage, seat: Any, turns: int) -> tuple[list[float], list[int]]:
    cpu, statements = [], []
    for _ in range(turns):
        before = counts().statements
        with Meter() as meter:
            await studio.turn(seat, QUESTION + MORE)
        cpu.append(meter.cpu)
        statements.append(counts().statements - before)
    return cpu, statements


def _script(request: ModelRequest) -> Line:
    return Line(SUMMARY) if request.messages[-1] == SUMMARY_TASK else script(request)


def _same(before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> int:
    """How many messages at the beginning are those of the request before."""
    for place, (one, other) in enumerate(zip(before, now, strict=False)):
        if one is not other and one != other:
            return place
    return min(len(before), len(now))


def _is_valid(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether each call has its result at once, and no result is without its call."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return False
            waiting.remove(message["tool_call_id"])
        elif waiting or not (message["content"].strip() or message.get("tool_calls")):
            return False
        waiting += [call["id"] for call in message.get("tool_calls", ())]
    return not waiting
