"""Providers that sign their reasoning get it back as they gave it."""

import json
from typing import Any

from runtime.providers.connections import Connection
from runtime.providers.litellm import LiteLLMModel
from tests.model_server import ModelServer, Reply
from tests.providers.asking import (
    SEARCH,
    OneConnection,
    answer,
    asking,
    assistant,
    called,
    finished,
    output,
    result,
    thoughts,
    user,
)


def anthropic_stream(*blocks: tuple[dict[str, Any], list[dict[str, Any]]], stop_reason: str = "tool_use") -> Reply:
    """Anthropic's own stream: each block with its deltas."""
    usage = {"input_tokens": 12, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "claude", "usage": usage}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    if stop_reason:
        events.append({"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": {"output_tokens": 9}})
        events.append({"type": "message_stop"})
    return Reply(raw="".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events))


THINKING = (
    {"type": "thinking", "thinking": "", "signature": ""},
    [
        {"type": "thinking_delta", "thinking": "I should "},
        {"type": "thinking_delta", "thinking": "search."},
        {"type": "signature_delta", "signature": "SIGNED"},
    ],
)
TEXT = ({"type": "text", "text": ""}, [{"type": "text_delta", "text": "One moment."}])
CALL = (
    {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}},
    [
        {"type": "input_json_delta", "partial_json": '{"words"'},
        {"type": "input_json_delta", "partial_json": ': "a"}'},
    ],
)


def claude(server: ModelServer) -> LiteLLMModel:
    base = server.url.removesuffix("/v1")
    return LiteLLMModel(OneConnection(Connection("anthropic/claude-sonnet-4-5", api_base=base, api_key="k")))


async def test_an_answer_of_anthropic_has_all_its_parts(server: ModelServer) -> None:
    server.says(anthropic_stream(THINKING, TEXT, CALL))

    chunks = await answer(claude(server), asking(user("find a"), tools=[SEARCH]))

    last = finished(chunks)
    assert (thoughts(chunks), output(chunks)) == ("I should search.", "One moment.")
    assert called(chunks) == [("search", '{"words": "a"}')]
    assert (last.finish_reason, last.tokens_in, last.tokens_out) == ("tool_calls", 12, 9)
    assert last.cost_usd is not None
    assert last.opaque["thinking_blocks"] == [
        {"type": "thinking", "thinking": "I should search.", "signature": "SIGNED"}
    ]


async def test_the_next_step_gives_the_signed_reasoning_back(server: ModelServer) -> None:
    server.says(anthropic_stream(THINKING, CALL), anthropic_stream(TEXT, stop_reason="end_turn"))
    model = claude(server)
    first = finished(await answer(model, asking(user("find a"), tools=[SEARCH])))

    step = assistant("", ("0.0", "search", '{"words": "a"}'), opaque=first.opaque, family=first.family)
    await answer(model, asking(user("find a"), step, result("0.0", "found"), tools=[SEARCH]))

    sent = server.requests[1]["body"]["messages"][1]["content"]
    assert sent[0] == {"type": "thinking", "thinking": "I should search.", "signature": "SIGNED"}
    assert sent[1]["type"] == "tool_use"


async def test_what_is_kept_survives_json(server: ModelServer) -> None:
    server.says(anthropic_stream(THINKING, CALL))

    opaque = finished(await answer(claude(server))).opaque

    assert json.loads(json.dumps(opaque)) == opaque


async def test_a_signature_on_a_call_of_gemini_is_given_back(server: ModelServer) -> None:
    part = {"functionCall": {"name": "search", "args": {"words": "a"}}, "thoughtSignature": "U0lHTkVE"}
    first = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}]}
    server.says(Reply(raw=f"data: {json.dumps(first)}\n\n"), Reply(raw=f"data: {json.dumps(first)}\n\n"))
    base = server.url.removesuffix("/v1")
    model = LiteLLMModel(OneConnection(Connection("gemini/gemini-3-pro-preview", api_base=base, api_key="k")))

    kept = finished(await answer(model, asking(user("find a"), tools=[SEARCH])))
    step = assistant("", ("0.0", "search", '{"words": "a"}'), opaque=kept.opaque, family=kept.family)
    await answer(model, asking(user("find a"), step, result("0.0", "found"), tools=[SEARCH]))

    assert server.requests[1]["body"]["contents"][1]["parts"][0]["thoughtSignature"] == "U0lHTkVE"
