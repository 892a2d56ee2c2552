"""Builders for requests, and the parts of an answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from runtime.ports import CallDelta, Chunk, Finished, Model, ModelRequest, OutputDelta, ThoughtDelta
from runtime.providers.connections import Connection


class OneConnection:
    """Every model is reached by the same connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def resolve(self, model: str, project: str) -> Connection:
        return self._connection


SEARCH = {
    "name": "search",
    "description": "Search",
    "parameters": {"type": "object", "properties": {"words": {"type": "string"}}},
}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def assistant(text: str = "", *calls: tuple[str, str, str], **more: Any) -> dict[str, Any]:
    """Calls are (id, name, arguments)."""
    wanted = [{"id": id, "name": name, "arguments": arguments} for id, name, arguments in calls]
    return {"role": "assistant", "content": text, **({"tool_calls": wanted} if wanted else {}), **more}


def result(call_id: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def asking(*messages: Mapping[str, Any], **more: Any) -> ModelRequest:
    return ModelRequest("shop", list(messages) or [user("hello")], **more)


async def answer(model: Model, request: ModelRequest | None = None) -> list[Chunk]:
    return [chunk async for chunk in model.stream(request or asking())]


def output(chunks: Sequence[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, OutputDelta))


def thoughts(chunks: Sequence[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, ThoughtDelta))


def called(chunks: Sequence[Chunk]) -> list[tuple[str, str]]:
    """(name, arguments) of each call, put together."""
    parts: dict[int, tuple[str, str]] = {}
    for chunk in chunks:
        if isinstance(chunk, CallDelta):
            name, arguments = parts.get(chunk.index, ("", ""))
            parts[chunk.index] = (name + chunk.name, arguments + chunk.arguments)
    return [parts[index] for index in sorted(parts)]


def finished(chunks: Sequence[Chunk]) -> Finished:
    assert isinstance(chunks[-1], Finished)
    return chunks[-1]
