"""A model that follows a script: for tests, for demonstrations, and for the first run. Needs no key and no network."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from runtime.domain.arguments import canonical
from runtime.ports import CallDelta, Chunk, Finished, ModelError, ModelRequest, OutputDelta, ThoughtDelta


@dataclass(frozen=True, slots=True)
class Line:
    """One scripted answer. `pause` = seconds between two words; `first` = seconds before the first."""

    text: str = ""
    thought: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    pause: float = 0.0
    first: float = 0.0
    finish_reason: str = ""


Script = Callable[[ModelRequest], Line]
"""Chooses an answer by the request alone, so that a request made again is answered alike."""


@dataclass(slots=True)
class Playbook:
    """The Model port over scripts by name: `playbook/NAME`."""

    scripts: Mapping[str, Script] = field(default_factory=dict)

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        name = request.model.removeprefix("playbook/")
        script = self.scripts.get(name)
        if script is None:
            known = ", ".join(sorted(self.scripts))
            raise ModelError(
                f"There is no playbook named {name}. Known playbooks: {known}.", kind="not_found", retryable=False
            )
        line = script(request)
        async for chunk in spoken(line, request):
            yield chunk


async def spoken(line: Line, request: ModelRequest) -> AsyncIterator[Chunk]:
    """The line in pieces, as a streaming model gives them."""
    await asyncio.sleep(line.first)
    for word in pieces(line.thought):
        yield ThoughtDelta(word)
        await asyncio.sleep(line.pause)
    for word in pieces(line.text):
        yield OutputDelta(word)
        await asyncio.sleep(line.pause)
    for index, (tool, args) in enumerate(line.calls):
        yield CallDelta(index, tool, canonical(args))
    reason = line.finish_reason or ("tool_calls" if line.calls else "stop")
    yield Finished(reason, estimate(request.messages), max(1, len(line.text + line.thought) // 4), cost_usd=0.0)


def pieces(text: str) -> Iterator[str]:
    """Words with the blanks before them, so that the pieces joined are the text."""
    start = 0
    for position in range(1, len(text)):
        if text[position].isspace() and not text[position - 1].isspace():
            yield text[start:position]
            start = position
    if text:
        yield text[start:]


def estimate(messages: Sequence[Mapping[str, Any]]) -> int:
    """Tokens of these messages, at four characters a token."""
    return sum(len(message.get("content") or "") for message in messages) // 4 + 1
