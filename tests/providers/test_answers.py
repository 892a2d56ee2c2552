"""What a provider streams from a real HTTP server arrives whole, and stops when we leave."""

import asyncio
import subprocess
import sys
from dataclasses import replace

import pytest

from runtime.ports import Model, OutputDelta
from runtime.providers.connections import Connection
from tests.model_server import ModelServer, Reply, call, calls, say
from tests.providers.asking import (
    SEARCH,
    answer,
    asking,
    called,
    finished,
    output,
    thoughts,
    user,
)
from tests.providers.conftest import Speaker

TONGUES = "안녕하세요 세상 👋🏽 👨‍👩‍👧 مرحبا بالعالم שלום日本語 é"


@pytest.mark.parametrize("split_bytes", [0, 1, 2, 3, 7])
async def test_characters_of_several_bytes_survive_any_cut_on_the_wire(
    server: ModelServer, model: Model, split_bytes: int
) -> None:
    server.says(say(TONGUES, split_bytes=split_bytes))

    chunks = await answer(model)

    assert output(chunks) == TONGUES


async def test_text_arrives_piece_by_piece(server: ModelServer, model: Model) -> None:
    server.says(say("one two three", hold_after=2))
    arrived: list[str] = []

    async for chunk in model.stream(asking()):
        if isinstance(chunk, OutputDelta):
            arrived.append(chunk.text)
        if len(arrived) == 2:
            server.release()

    assert arrived == ["one ", "two ", "three"]


async def test_usage_and_cost_come_with_the_end(server: ModelServer, model: Model) -> None:
    server.says(say("one two three"))

    last = finished(await answer(model))

    assert (last.finish_reason, last.tokens_in, last.tokens_out) == ("stop", 4, 3)
    assert last.cost_usd == pytest.approx((4 * 1 + 3 * 2) / 1_000_000)


async def test_without_prices_the_cost_of_an_unknown_model_is_unknown(
    server: ModelServer, connection: Connection, speaker: Speaker
) -> None:
    model = speaker(replace(connection, prices=None, litellm_model="openai/gpt-4o"))

    assert finished(await answer(model)).cost_usd is None


async def test_a_provider_that_does_not_count_gives_no_counts(server: ModelServer, model: Model) -> None:
    server.says(say("one two three", tells_usage=False))

    last = finished(await answer(model))

    assert (last.tokens_in, last.tokens_out, last.cost_usd) == (None, None, None)


async def test_parallel_calls_are_numbered_from_zero_even_with_the_same_id(server: ModelServer, model: Model) -> None:
    server.says(calls(("search", {"words": "한국"}, "x"), ("search", {"words": "b"}, "x")))

    chunks = await answer(model, asking(user("hello"), tools=[SEARCH]))

    assert called(chunks) == [("search", '{"words": "한국"}'), ("search", '{"words": "b"}')]
    assert finished(chunks).finish_reason == "tool_calls"


async def test_broken_argument_text_is_handed_on_as_it_is(server: ModelServer, model: Model) -> None:
    server.says(call("search", '{"words": "a'))

    assert called(await answer(model)) == [("search", '{"words": "a')]


async def test_reasoning_is_told_apart_from_the_answer(server: ModelServer, model: Model) -> None:
    server.says(say("Four.", thinking="Two and two."))

    chunks = await answer(model)

    assert (thoughts(chunks), output(chunks)) == ("Two and two.", "Four.")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (say(""), "stop"),
        (say("and so", finish_reason="length"), "length"),
        (say("", finish_reason="content_filter"), "refusal"),
    ],
)
async def test_every_way_to_end_is_told(server: ModelServer, model: Model, reply: Reply, reason: str) -> None:
    server.says(reply)

    assert finished(await answer(model)).finish_reason == reason


async def test_one_text_repeated_many_times_does_not_end_the_stream(server: ModelServer, model: Model) -> None:
    server.says(say("same " * 300))

    assert output(await answer(model)) == "same " * 300


async def test_an_answer_that_is_not_streamed_has_the_same_parts(server: ModelServer, model: Model) -> None:
    server.says(Reply(text="Here.", thinking="Hm.", calls=call("search", {"words": "a"}).calls))

    chunks = await answer(model, asking(stream=False))

    assert (thoughts(chunks), output(chunks)) == ("Hm.", "Here.")
    assert called(chunks) == [("search", '{"words": "a"}')]
    assert finished(chunks).tokens_out == 3


async def test_cancelling_the_task_closes_the_connection(server: ModelServer, model: Model) -> None:
    server.says(say("a long story", hold_after=1))
    task = asyncio.create_task(answer(model))
    await server.holding()

    task.cancel()

    generation = await server.closed_early()
    assert generation.pieces_sent < 4
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_cancelling_before_the_first_byte_closes_the_connection(server: ModelServer, model: Model) -> None:
    server.says(say("late", first_byte_after_seconds=60))
    task = asyncio.create_task(answer(model))
    await server.requested()

    task.cancel()

    assert (await server.closed_early()).pieces_sent == 0


async def test_leaving_the_iterator_closes_the_connection(server: ModelServer, model: Model) -> None:
    server.says(say("a long story", hold_after=1))
    stream = model.stream(asking())
    await anext(stream)

    await stream.aclose()  # type: ignore[attr-defined]  # an async generator, which the port does not promise

    await server.closed_early()


async def test_no_proxy_is_taken_from_the_environment(
    server: ModelServer, connection: Connection, speaker: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    model = speaker(replace(connection, api_key="sk-another-client"))
    server.says(say("straight"))

    assert output(await answer(model)) == "straight"


async def test_no_key_is_taken_from_the_environment(
    server: ModelServer, connection: Connection, speaker: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")
    model = speaker(replace(connection, api_key=""))

    await answer(model)

    assert server.requests[0]["headers"].get("Authorization", "Bearer none") == "Bearer none"


@pytest.mark.parametrize("package", ["litellm", "native"])
def test_a_provider_can_be_imported_without_its_library(package: str) -> None:
    slow = "{'litellm', 'httpx', 'openai', 'aiohttp'} & set(sys.modules)"
    program = f"import runtime.providers.{package}, sys; print(len({slow}))"

    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert told.strip() == "0"
