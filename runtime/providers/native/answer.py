"""One answer of a chat completions server, piece by piece, as our chunks."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from runtime.ports import CallDelta, Chunk, Finished, OutputDelta, ThoughtDelta
from runtime.providers.call_numbers import CallNumbers
from runtime.providers.connections import Connection, Prices
from runtime.providers.finish_reasons import reason_of
from runtime.providers.wire import family_of


class Answer:
    """Reads chunks, or the one body of an answer that was not streamed. What has another shape is passed over."""

    def __init__(self) -> None:
        self._usage: Mapping[str, Any] = {}
        self._finish_reason = ""
        self._calls = CallNumbers()
        self._is_refused = False

    @property
    def is_complete(self) -> bool:
        """Whether the provider said why it ended."""
        return bool(self._finish_reason)

    def read(self, piece: Mapping[str, Any]) -> Iterator[Chunk]:
        """The chunks in one piece; the last piece may have the usage and no choices."""
        if usage := piece.get("usage"):
            self._usage = _mapping(usage)
        choices = piece.get("choices")
        if not isinstance(choices, list) or not choices:
            return
        choice = _mapping(choices[0])
        if reason := choice.get("finish_reason"):
            self._finish_reason = str(reason)
        if delta := choice.get("delta"):
            yield from self._read(_mapping(delta), is_whole=False)
        elif message := choice.get("message"):
            yield from self._read(_mapping(message), is_whole=True)

    def finished(self, connection: Connection) -> Finished:
        """The last chunk. A cost only where the counts and the prices are known."""
        tokens_in, tokens_out = _count(self._usage, "prompt_tokens"), _count(self._usage, "completion_tokens")
        return Finished(
            finish_reason="refusal" if self._is_refused else reason_of(self._finish_reason),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            tokens_cached=_count(_mapping(self._usage.get("prompt_tokens_details")), "cached_tokens"),
            tokens_reasoning=_count(_mapping(self._usage.get("completion_tokens_details")), "reasoning_tokens"),
            cost_usd=_cost_usd(connection.prices, tokens_in, tokens_out),
            family=family_of(connection.litellm_model),
        )

    def _read(self, delta: Mapping[str, Any], *, is_whole: bool) -> Iterator[Chunk]:
        if thought := _text(delta.get("reasoning_content") or delta.get("reasoning"), "text"):
            yield ThoughtDelta(thought)
        if content := delta.get("content"):
            yield from _spoken(content)
        if refusal := _text(delta.get("refusal"), "text"):
            self._is_refused = True
            yield OutputDelta(refusal)
        calls = delta.get("tool_calls")
        for place, call in enumerate(calls if isinstance(calls, list) else ()):
            yield self._call(_mapping(call), place if is_whole else None)

    def _call(self, call: Mapping[str, Any], place: int | None) -> CallDelta:
        """`place` among the calls of a whole message, which have no index."""
        function, index = _mapping(call.get("function")), call.get("index", place)
        name, arguments = str(function.get("name") or ""), function.get("arguments") or ""
        ours, is_new = self._calls.place(index if isinstance(index, int) else None, str(call.get("id") or ""), name)
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        return CallDelta(ours, name if is_new else "", text)


def _cost_usd(prices: Prices | None, tokens_in: int | None, tokens_out: int | None) -> float | None:
    if prices is None or tokens_in is None or tokens_out is None:
        return None
    return prices.cost_usd(tokens_in, tokens_out)


def _spoken(content: Any) -> Iterator[Chunk]:
    """Text, or a list of parts of which some are reasoning."""
    if isinstance(content, str):
        yield OutputDelta(content)
        return
    for part in content if isinstance(content, list) else ():
        if thought := _text(_mapping(part).get("thinking"), "text"):
            yield ThoughtDelta(thought)
        if text := _text(_mapping(part).get("text"), "text"):
            yield OutputDelta(text)


def _text(value: Any, name: str) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(value, list):
        return "".join(_text(_mapping(part).get(name), name) for part in value)
    return value if isinstance(value, str) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(counts: Mapping[str, Any], name: str) -> int | None:
    count = counts.get(name)
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None
