"""What the direct client sends: bytes made once, a key that goes nowhere else, connections used again."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from runtime.ports import ModelError, ModelRequest
from runtime.providers.connected import ConnectedModel
from runtime.providers.connections import Client, Connection
from runtime.providers.native import NativeModel
from runtime.providers.native.body import Bodies
from tests.model_server import ModelServer, fails, say
from tests.providers.asking import SEARCH, OneConnection, answer, asking, assistant, output, result, user

HISTORY = [user("find 한국"), assistant("", ("0.0", "search", "{}")), result("0.0", "found"), user("\ud83d half")]


@pytest.fixture
def model(connection: Connection) -> NativeModel:
    return NativeModel(OneConnection(connection))


async def test_the_model_is_named_without_its_provider(server: ModelServer, connection: Connection) -> None:
    model = NativeModel(OneConnection(replace(connection, litellm_model="openai/meta-llama/Llama-3")))

    await answer(model)

    assert server.requests[0]["body"]["model"] == "meta-llama/Llama-3"
    assert server.requests[0]["headers"]["Authorization"] == "Bearer sk-secret"


async def test_without_a_key_none_is_sent(server: ModelServer, connection: Connection) -> None:
    await answer(NativeModel(OneConnection(replace(connection, api_key=""))))

    assert "Authorization" not in server.requests[0]["headers"]


def test_openai_itself_is_told_the_limit_by_its_new_name(connection: Connection) -> None:
    request = asking(settings={"max_tokens": 5})

    there = body(Bodies(), request, replace(connection, api_base="https://api.openai.com/v1"))
    elsewhere = body(Bodies(), request, connection)

    assert (there["max_completion_tokens"], elsewhere["max_tokens"]) == (5, 5)
    assert "max_tokens" not in there


@pytest.mark.parametrize("most_kept_bytes", [0, 1000, 1_000_000])
def test_bodies_are_the_same_whether_their_pieces_were_kept_or_not(
    connection: Connection, most_kept_bytes: int
) -> None:
    bodies = Bodies(most_kept_bytes)
    growing = [ModelRequest("shop", HISTORY[: n + 1], tools=[SEARCH]) for n in range(len(HISTORY))]

    kept = [bodies.of(request, connection) for request in growing * 2]

    assert kept == [Bodies().of(request, connection) for request in growing * 2]


def test_a_message_that_is_kept_is_not_encoded_again(connection: Connection) -> None:
    bodies, message = Bodies(), user("hello")
    first = bodies.of(asking(message), connection)

    message["content"] = "changed, which nobody may do"

    assert bodies.of(asking(message), connection) == first


def test_signed_parts_are_kept_for_each_family_alone(connection: Connection) -> None:
    bodies = Bodies()
    signed = assistant("Well.", opaque={"thinking_blocks": [{"signature": "sig"}]}, family="openai/scripted")

    same = bodies.of(asking(signed), connection)
    other = bodies.of(asking(signed), replace(connection, litellm_model="openai/gpt-5"))

    assert (b"sig" in same, b"sig" in other) == (True, False)


async def test_a_prompt_of_a_megabyte_arrives_whole(server: ModelServer, model: NativeModel) -> None:
    text = "한국어 👋 " * 200_000

    await answer(model, asking(user(text)))

    assert server.requests[0]["body"]["messages"][0]["content"] == text


async def test_a_connection_is_used_again(server: ModelServer, model: NativeModel) -> None:
    server.says(*[say("hello"), fails(500), say("hello again")])

    await answer(model)
    with pytest.raises(ModelError):
        await answer(model)
    await answer(model)

    assert server.connections == 1


async def test_first_calls_at_once_share_one_client(server: ModelServer, model: NativeModel) -> None:
    answers = await asyncio.gather(*(answer(model) for _ in range(20)))

    assert {output(chunks) for chunks in answers} == {"All right."}


async def test_a_key_does_not_follow_to_where_an_address_leads(server: ModelServer, connection: Connection) -> None:
    async def lead_on(request: web.Request) -> web.Response:
        raise web.HTTPTemporaryRedirect(f"{server.url}/chat/completions")

    app = web.Application()
    app.add_routes([web.post("/v1/chat/completions", lead_on)])
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    there = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"

    with pytest.raises(ModelError, match="leads on to another one"):
        await answer(NativeModel(OneConnection(replace(connection, api_base=there))))

    assert server.requests == []
    await runner.cleanup()


async def test_a_loop_closes_its_connections_when_it_ends(server: ModelServer, connection: Connection) -> None:
    model = NativeModel(OneConnection(connection))

    texts = [output(await asyncio.to_thread(asyncio.run, answer(model))) for _ in range(2)]

    assert texts == ["All right."] * 2
    await server.all_left()


@pytest.mark.parametrize("client", Client)
async def test_a_connection_is_spoken_to_by_its_client(
    server: ModelServer, connection: Connection, client: Client
) -> None:
    model = ConnectedModel(OneConnection(replace(connection, client=client)))

    assert output(await answer(model)) == "All right."

    is_native = server.requests[0]["headers"]["User-Agent"] == "flux-studio"
    assert is_native is (client is Client.NATIVE)


def body(bodies: Bodies, request: ModelRequest, connection: Connection) -> Any:
    return json.loads(bodies.of(request, connection))
