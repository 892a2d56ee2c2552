"""The same turn without a studio: loops that ask a model server over HTTP, and keep nothing."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp

from benchmarks.meter import Meter
from benchmarks.model_server import ModelServer
from benchmarks.story import QUESTION, RESULT, SYSTEM, TOOL
from runtime.providers.litellm.library import library

SCHEMA = {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]}
TOOLS = [{"type": "function", "function": {"name": TOOL, "description": "Calculate.", "parameters": SCHEMA}}]

Message = dict[str, Any]
Ask = Callable[[list[Message]], Awaitable[Message]]
"""The messages of a request to the message of its answer."""


async def turn(ask: Ask, messages: list[Message]) -> None:
    """One turn at the end of the messages."""
    messages.append({"role": "user", "content": QUESTION})
    reply = await ask(messages)
    messages.append({"role": "assistant", "content": reply["content"], "tool_calls": reply["tool_calls"]})
    for call in reply["tool_calls"]:
        json.loads(call["function"]["arguments"])
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": RESULT})
    reply = await ask(messages)
    messages.append({"role": "assistant", "content": reply["content"]})


async def session(ask: Ask, turns: int) -> None:
    messages: list[Message] = [{"role": "system", "content": SYSTEM}]
    for _ in range(turns):
        await turn(ask, messages)


async def raw(server: ModelServer, turns: int) -> None:
    """A session over one socket, HTTP written by hand."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)

    async def ask(messages: list[Message]) -> Message:
        body = json.dumps({"model": "bench", "tools": TOOLS, "messages": messages}).encode()
        writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.partition(b"Content-Length: ")[2].split(b"\r\n")[0])
        message: Message = json.loads(await reader.readexactly(length))["choices"][0]["message"]
        return message

    await session(ask, turns)
    writer.close()


async def aiohttp_json(server: ModelServer, turns: int, client: aiohttp.ClientSession) -> None:
    """A session by aiohttp and json."""

    async def ask(messages: list[Message]) -> Message:
        body = {"model": "bench", "tools": TOOLS, "messages": messages}
        async with client.post(f"{server.url}/v1/chat/completions", json=body) as answer:
            message: Message = (await answer.json())["choices"][0]["message"]
            return message

    await session(ask, turns)


async def litellm(server: ModelServer, turns: int) -> None:
    """A session by LiteLLM, without streaming."""
    module = await library()

    async def ask(messages: list[Message]) -> Message:
        answer = await module.acompletion(
            model="openai/bench",
            api_base=f"{server.url}/v1",
            api_key="none",
            messages=messages,
            tools=TOOLS,
            max_retries=0,
        )
        message: Message = answer.choices[0].message.model_dump()
        return message

    await session(ask, turns)


async def measured(server: ModelServer, sessions: int, turns: int, one: Callable[[], Awaitable[None]]) -> Meter:
    """All sessions at once after one that warms up; CPU with that of the model server."""
    await one()
    before = server.cpu_seconds()
    with Meter() as meter:
        await asyncio.gather(*(one() for _ in range(sessions)))
    meter.cpu += server.cpu_seconds() - before
    return meter


async def all_loops(server: ModelServer, sessions: int, turns: int, *, with_litellm: bool) -> dict[str, Meter]:
    """By the name of the loop. LiteLLM makes a tenth of the turns."""
    loops = {"raw HTTP loop": await measured(server, sessions, turns, lambda: raw(server, turns))}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=sessions)) as client:
        loops["aiohttp and json loop"] = await measured(
            server, sessions, turns, lambda: aiohttp_json(server, turns, client)
        )
    if with_litellm:
        few = max(1, turns // 10)
        loops["LiteLLM loop"] = await measured(server, sessions, few, lambda: litellm(server, few))
        loops["LiteLLM loop"].cpu *= turns / few
        loops["LiteLLM loop"].wall *= turns / few
    return loops
