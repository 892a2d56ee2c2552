"""A reply as an OpenAI-compatible stream, or as one body."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.model_server.reply import Reply


def tokens(text: str) -> list[str]:
    """Words with the space that follows them."""
    return re.findall(r"\S+\s*|\s+", text)


def deltas(reply: Reply) -> Iterator[dict[str, Any]]:
    """The pieces of the answer, one a token; tool calls in two pieces each."""
    yield {"role": "assistant", "content": ""}
    for piece in tokens(reply.thinking):
        yield {"reasoning_content": piece}
    for piece in tokens(reply.text):
        yield {"content": piece}
    for index, call in enumerate(reply.calls):
        half = len(call.arguments) // 2
        head = {"name": call.name, "arguments": call.arguments[:half]}
        yield {"tool_calls": [{"index": index, "id": call.id or f"call_{index}", "type": "function", "function": head}]}
        yield {"tool_calls": [{"index": index, "function": {"arguments": call.arguments[half:]}}]}


def chunk(number: int, model: str, delta: Mapping[str, Any] | None, finish_reason: str | None = None) -> dict[str, Any]:
    """One chunk; without a delta it has no choices, as the last one with the usage."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish_reason}]
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": model,
        "choices": choices,
    }


def line(data: Mapping[str, Any]) -> bytes:
    """One event of the stream: characters as themselves, lone surrogates as the escapes that JSON has for them."""
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode("utf-8", "backslashreplace")


def usage(reply: Reply, body: Mapping[str, Any]) -> dict[str, int]:
    """Counts that depend on nothing but the request and the reply: one token a word."""
    prompt = sum(len(tokens(json.dumps(message, ensure_ascii=False))) for message in body.get("messages", ()))
    words = tokens(reply.thinking) + tokens(reply.text) + [call.name for call in reply.calls]
    return {"prompt_tokens": prompt, "completion_tokens": len(words), "total_tokens": prompt + len(words)}


def whole(number: int, model: str, reply: Reply, body: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a request without `stream`."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": call.id or f"call_{index}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for index, call in enumerate(reply.calls)
        ]
    answer: dict[str, Any] = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reply.ends_with}],
    }
    return answer | ({"usage": usage(reply, body)} if reply.tells_usage else {})
