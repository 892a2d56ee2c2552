"""LLM Invoker: one model call, its pieces handed on as they come."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from runtime.domain.context import Prompt
from runtime.domain.events import StepCompleted
from runtime.domain.reply import Asked, Reply
from runtime.domain.text import REPLACEMENT, Halves, clean
from runtime.ports import CallDelta, Clock, Finished, Model, ModelError, ModelRequest, OutputDelta, ThoughtDelta

OnDelta = Callable[[int, int, str, str], None]
"""(block, offset in code points, kind, text)"""

MAX_REPLY_CHARACTERS = 4_000_000


@dataclass(slots=True)
class Blocks:
    """Numbers the blocks of one answer: a new one whenever the kind, or the call, changes.

    `halves` cleans what comes in pieces, by kind and index.
    """

    halves: Halves[tuple[str, int]] = field(default_factory=Halves)
    number: int = -1
    kind: tuple[str, int] = ("", -1)
    length: int = 0

    def place(self, kind: str, index: int, text: str) -> tuple[int, int]:
        """Block and offset of this piece."""
        if (kind, index) != self.kind:
            self.number, self.kind, self.length = self.number + 1, (kind, index), 0
        offset, self.length = self.length, self.length + len(text)
        return self.number, offset


@dataclass(frozen=True, slots=True)
class Invocation:
    """One attempt of a step: the prompt, and where its pieces go. `reply` grows while it streams."""

    prompt: Prompt
    project: str
    stream: bool
    reply: Reply
    on_delta: OnDelta


async def invoke(model: Model, invocation: Invocation, clock: Clock) -> StepCompleted:
    """The figures of the finished answer; the answer itself is in `invocation.reply`. Raises ModelError."""
    began, first = clock.now(), 0
    blocks, size = Blocks(), 0
    finished: Finished | None = None
    async with aclosing(model.stream(_request(invocation))) as chunks:  # type: ignore[type-var]  # all are generators
        async for chunk in chunks:
            if isinstance(chunk, Finished):
                finished = chunk
                continue
            if invocation.reply.is_closed:  # cut off: what still comes is nobody's
                continue
            first = first or clock.now()
            size += _take(chunk, invocation, blocks)
            if size > MAX_REPLY_CHARACTERS:
                raise ModelError("The model's answer is over four million characters.", kind="unknown", retryable=False)
    for kind, index in blocks.halves.left():
        _add(kind, index, REPLACEMENT, invocation, blocks)
    if finished is None:
        raise ModelError("The connection to the model broke off in the middle.", kind="cut_off", retryable=True)
    return _completed(finished, clock.now() - began, first - began if first else None)


def _request(invocation: Invocation) -> ModelRequest:
    prompt = invocation.prompt
    return ModelRequest(
        model=prompt.model,
        messages=prompt.messages,
        tools=prompt.tools,
        settings=prompt.settings,
        withhold_tools=prompt.withhold_tools,
        stream=invocation.stream,
        project=invocation.project,
    )


def _take(chunk: OutputDelta | ThoughtDelta | CallDelta, invocation: Invocation, blocks: Blocks) -> int:
    """Add one piece to the reply and hand it on; its length."""
    match chunk:
        case OutputDelta(text=text):
            return _add("output", 0, blocks.halves.joined(("output", 0), text), invocation, blocks)
        case ThoughtDelta(text=text):
            return _add("thought", 0, blocks.halves.joined(("thought", 0), text), invocation, blocks)
        case CallDelta(index=index, name=name, arguments=arguments):
            asked = invocation.reply.calls.setdefault(index, Asked())
            asked.name += clean(name)
            asked.pieces.append(arguments)
            text = blocks.halves.joined(("args", index), arguments)
            return 1 + len(name) + _add("args", index, text, invocation, blocks)


def _add(kind: str, index: int, text: str, invocation: Invocation, blocks: Blocks) -> int:
    """Hand on a cleaned piece, and keep it if it is no argument, which is kept as the model wrote it; its length."""
    match kind:
        case "output":
            invocation.reply.output.append(text)
        case "thought":
            invocation.reply.thought.append(text)
    if text:
        block, offset = blocks.place(kind, index, text)
        invocation.on_delta(block, offset, kind, text)
    return len(text)


def _completed(finished: Finished, took_us: int, first_us: int | None) -> StepCompleted:
    return StepCompleted(
        tokens_in=finished.tokens_in,
        tokens_out=finished.tokens_out,
        tokens_cached=finished.tokens_cached,
        tokens_reasoning=finished.tokens_reasoning,
        cost_usd=finished.cost_usd,
        ms=took_us // 1000,
        ms_to_first_token=None if first_us is None else first_us // 1000,
        finish_reason=finished.finish_reason,
        opaque=finished.opaque,
        family=finished.family,
    )
