"""One answer of LiteLLM, piece by piece, as our chunks."""

from collections.abc import Iterator
from typing import Any

from runtime.ports import CallDelta, Chunk, OutputDelta, ThoughtDelta
from runtime.providers.call_numbers import CallNumbers
from runtime.providers.finish_reasons import reason_of


class Answer:
    """Reads deltas, or the message of an answer that was not streamed: both have the same fields."""

    def __init__(self) -> None:
        self.usage: Any = None
        self.finish_reason = ""
        self._calls = _Calls()
        self._thoughts = _SignedThoughts()
        self._is_refused = False

    @property
    def reason(self) -> str:
        """The finish reason in our words; empty while there is none."""
        if self._is_refused:
            return "refusal"
        return reason_of(self.finish_reason)

    @property
    def opaque(self) -> dict[str, Any] | None:
        """What the provider needs back verbatim, or None."""
        kept = {"thinking_blocks": self._thoughts.blocks, "calls": self._calls.fields}
        return {name: value for name, value in kept.items() if value} or None

    def read(self, piece: Any) -> Iterator[Chunk]:
        """The chunks in one piece; the last piece has the usage and no choices."""
        self.usage = getattr(piece, "usage", None) or self.usage
        for choice in (getattr(piece, "choices", None) or ())[:1]:
            self.finish_reason = getattr(choice, "finish_reason", None) or self.finish_reason
            yield from self._read(getattr(choice, "delta", None) or getattr(choice, "message", None))

    def _read(self, delta: Any) -> Iterator[Chunk]:
        if thought := getattr(delta, "reasoning_content", None):
            yield ThoughtDelta(thought)
        self._thoughts.take(getattr(delta, "thinking_blocks", None) or ())
        if text := getattr(delta, "content", None):
            yield OutputDelta(text)
        if refusal := getattr(delta, "refusal", None):
            self._is_refused = True
            yield OutputDelta(refusal)
        for call in getattr(delta, "tool_calls", None) or ():
            yield from self._calls.take(call)


class _Calls:
    """The calls of one answer, and what the provider needs back with each."""

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self._numbers = CallNumbers()

    def take(self, call: Any) -> Iterator[Chunk]:
        function = call.function
        name = function.name or ""
        index, is_new = self._numbers.place(getattr(call, "index", None), getattr(call, "id", None) or "", name)
        if fields := getattr(call, "provider_specific_fields", None):
            self.fields[str(index)] = dict(fields)
        yield CallDelta(index, name if is_new else "", function.arguments or "")


class _SignedThoughts:
    """Puts the blocks of signed reasoning together: their text comes in pieces, the signature at the end."""

    def __init__(self) -> None:
        self.blocks: list[dict[str, Any]] = []
        self._open: dict[str, Any] | None = None

    def take(self, pieces: Any) -> None:
        for piece in pieces:
            block = {name: value for name, value in dict(piece).items() if value is not None and name != "index"}
            if block.get("type") != "thinking" or self._open is None:
                self.blocks.append(block)
                self._open = block if block.get("type") == "thinking" else None
            else:
                self._open["thinking"] = self._open.get("thinking", "") + block.get("thinking", "")
                self._open |= {"signature": block["signature"]} if block.get("signature") else {}
            if block.get("signature"):
                self._open = None
