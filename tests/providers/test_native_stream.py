"""Server-sent events as servers really send them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.ports import CallDelta, ModelError
from runtime.providers.connections import Connection
from runtime.providers.native import NativeModel
from runtime.providers.native.pieces import AnswerLimits
from runtime.providers.native.sse import EventStream, TooLarge
from tests.model_server import ModelServer, Reply, say
from tests.providers.asking import OneConnection, answer, called, finished, output, thoughts

EVENTS = ['{"a": "안녕 👋🏽"}', "two\nlines", "[DONE]", " blank in front"]


@pytest.fixture
def model(connection: Connection) -> NativeModel:
    return NativeModel(OneConnection(connection))


def chunk(delta: dict[str, Any], finish_reason: str | None = None, **more: Any) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}], **more})


def stream(*events: str, end: str = "\n\n") -> Reply:
    return Reply(raw="".join(f"data: {event}{end}" for event in events))


def wire(events: list[str], newline: str) -> bytes:
    lines = [": a comment", "event: message", "retry: 3"]
    for event in events:
        lines += [*(f"data: {line}" for line in event.split("\n")), "", ": ping", ""]
    return newline.join([*lines, ""]).encode()


@given(st.sampled_from(["\n", "\r\n"]), st.lists(st.integers(1, 9), min_size=1, max_size=300))
def test_events_are_the_same_however_their_bytes_are_cut(newline: str, sizes: list[int]) -> None:
    bytes_, stream, got = wire(EVENTS, newline), EventStream(1000), list[bytes]()

    for size in [*sizes, len(bytes_)]:
        got += stream.feed(bytes_[:size])
        bytes_ = bytes_[size:]

    assert [data.decode() for data in got] == EVENTS


def test_an_event_without_its_blank_line_is_left_over() -> None:
    stream = EventStream(1000)

    assert stream.feed(b"data: one\n\ndata: tw") == [b"one"]
    assert stream.feed(b"o") == []
    assert stream.rest() == b"two"


def test_an_event_without_end_is_given_up() -> None:
    stream = EventStream(1000)

    for _ in range(10):
        stream.feed(b"data: x\n")

    with pytest.raises(TooLarge):
        stream.feed(b"data:\n" * 10)


async def test_a_stream_may_end_without_saying_done(server: ModelServer, model: NativeModel) -> None:
    server.says(stream(chunk({"content": "hello"}), chunk({}, "stop")))

    chunks = await answer(model)

    assert (output(chunks), finished(chunks).finish_reason) == ("hello", "stop")


async def test_the_last_event_may_lack_its_blank_line(server: ModelServer, model: NativeModel) -> None:
    server.says(Reply(raw=f"data: {chunk({'content': 'hello'})}\n\ndata: {chunk({}, 'stop')}"))

    assert finished(await answer(model)).finish_reason == "stop"


async def test_calls_that_come_whole_and_with_one_index_are_told_apart(server: ModelServer, model: NativeModel) -> None:
    first = {"index": 0, "id": "", "function": {"name": "search", "arguments": '{"words": "a"}'}}
    second = {"index": 0, "id": "", "function": {"name": "search", "arguments": '{"words": "b"}'}}
    server.says(stream(chunk({"tool_calls": [first]}), chunk({"tool_calls": [second]}), chunk({}, "tool_calls")))

    assert called(await answer(model)) == [("search", '{"words": "a"}'), ("search", '{"words": "b"}')]


async def test_calls_without_an_index_are_numbered_by_their_names(server: ModelServer, model: NativeModel) -> None:
    pieces = [
        {"id": "x", "function": {"name": "search", "arguments": '{"wor'}},
        {"function": {"arguments": 'ds": "a"}'}},
        {"id": "y", "function": {"name": "pay", "arguments": {"amount": 3}}},
    ]
    server.says(stream(*(chunk({"tool_calls": [piece]}) for piece in pieces), chunk({}, "tool_calls")))

    assert called(await answer(model)) == [("search", '{"words": "a"}'), ("pay", '{"amount": 3}')]


async def test_the_pieces_of_one_call_share_its_number_when_id_and_name_are_repeated(
    server: ModelServer, model: NativeModel
) -> None:
    piece = {"index": 0, "id": "x", "function": {"name": "search", "arguments": "{}"}}
    server.says(stream(chunk({"tool_calls": [piece]}), chunk({"tool_calls": [piece]}), chunk({}, "tool_calls")))

    deltas = [chunk for chunk in await answer(model) if isinstance(chunk, CallDelta)]

    assert [(delta.index, delta.name) for delta in deltas] == [(0, "search"), (0, "")]


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning_content": "Hm."},
        {"reasoning": "Hm."},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]},
    ],
)
async def test_reasoning_has_several_names(server: ModelServer, model: NativeModel, delta: dict[str, Any]) -> None:
    server.says(stream(chunk(delta), chunk({"content": "Yes."}), chunk({}, "stop")))

    chunks = await answer(model)

    assert (thoughts(chunks), output(chunks)) == ("Hm.", "Yes.")


async def test_counts_of_cached_and_reasoning_tokens_are_read(server: ModelServer, model: NativeModel) -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    server.says(stream(chunk({}, "stop", usage=None), json.dumps({"choices": [], "usage": usage}), "[DONE]"))

    last = finished(await answer(model))

    assert (last.tokens_in, last.tokens_out, last.tokens_cached, last.tokens_reasoning) == (10, 5, 8, 3)


async def test_junk_in_the_place_of_values_is_passed_over(server: ModelServer, model: NativeModel) -> None:
    junk = ['{"choices": 3}', '{"choices": ["x"]}', '{"choices": [{"delta": {"content": 3, "tool_calls": ["x"]}}]}']
    server.says(stream(*junk, chunk({"content": "hello"}), chunk({}, "stop", usage={"prompt_tokens": True})))

    chunks = await answer(model)

    assert (output(chunks), finished(chunks).tokens_in) == ("hello", None)


async def test_a_server_that_does_not_stream_is_understood(server: ModelServer, connection: Connection) -> None:
    body = {"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}]}
    whole = NativeModel(OneConnection(connection))
    server.says(Reply(raw=json.dumps(body), raw_type="application/json"))

    assert output(await answer(whole)) == "hello"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "the engine died", "code": 502}, "overloaded"),
        ({"message": "maximum context length is 8192", "code": 400}, "context_too_long"),
        ({"message": "slow down", "code": "429"}, "rate_limit"),
        ("no idea", "unknown"),
    ],
)
async def test_an_error_in_the_middle_of_a_stream_is_told(
    server: ModelServer, model: NativeModel, error: Any, kind: str
) -> None:
    server.says(stream(chunk({"content": "hel"}), json.dumps({"error": error})))

    assert (await failure(model)).kind == kind


async def test_a_web_page_is_no_answer(server: ModelServer, model: NativeModel) -> None:
    server.says(Reply(raw="<h1>It works</h1>", raw_type="text/html"))

    error = await failure(model)

    assert (error.kind, error.retryable) == ("not_found", False)
    assert "most end in /v1" in error.sentence


async def test_an_event_that_is_no_json_breaks_the_answer_off(server: ModelServer, model: NativeModel) -> None:
    server.says(stream(chunk({"content": "hel"}), "{lo"))

    assert (await failure(model)).kind == "cut_off"


@pytest.mark.parametrize(
    ("reply", "limits"),
    [
        (say("word " * 100), AnswerLimits(answer_bytes=2000)),
        (Reply(raw=f"data: {'x' * 3_000_000}\n\n"), AnswerLimits(event_bytes=100)),
        (Reply(raw=f"[{'1,' * 1000} 1]", raw_type="application/json"), AnswerLimits(event_bytes=100)),
    ],
    ids=["a stream", "one event", "a whole body"],
)
async def test_an_answer_has_a_largest_size(
    server: ModelServer, connection: Connection, reply: Reply, limits: AnswerLimits
) -> None:
    server.says(reply)

    error = await failure(NativeModel(OneConnection(connection), limits=limits))

    assert (error.kind, error.retryable) == ("unknown", False)
    assert "larger than an answer may be" in error.sentence


async def failure(model: NativeModel) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await answer(model)
    return caught.value
