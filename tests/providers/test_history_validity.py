"""Neutral histories of every shape become requests that their provider accepts (promise 11)."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.ports import Model, ModelError
from runtime.providers.connections import Connection
from runtime.providers.litellm import LiteLLMModel
from runtime.providers.wire import call_id, wire_id, wire_messages
from tests.model_server import ModelServer
from tests.providers.asking import SEARCH, OneConnection, answer, asking, assistant, result, system, user
from tests.providers.history_rules import anthropic_faults, mistral_faults, openai_faults

texts = st.sampled_from(["", " \n", "hello", "한국어 👋", "{}", "[1/2] first"])
arguments = st.sampled_from(
    ["{}", '{"words": "a"}', "", "{bro", "[]", "null", '{"a": NaN}', '"text"', '{"a": "\\ud83d"}', "[" * 100_000]
)

SHAPES: dict[str, list[dict[str, Any]]] = {
    "a first word": [system("Be brief."), user("hello")],
    "no instructions": [user("hello")],
    "a blank system prompt": [system(" "), user("hello")],
    "an answer and a tail": [system("Be brief."), user("hello"), assistant("Hi."), user("more"), user("[state] open")],
    "several users in one batch": [user("[1/2] a"), user("[2/2] b")],
    "a blank answer": [user("hello"), assistant(" "), user("are you there?")],
    "an answer cut off": [user("hello"), assistant("Once upon"), user("[interrupted] stop")],
    "one call": [user("find"), assistant("", ("0.0", "search", '{"words": "a"}')), result("0.0", "found")],
    "words and a call": [user("find"), assistant("I look.", ("0.0", "search", "{}")), result("0.0", "found")],
    "parallel calls and a tail": [
        user("find"),
        assistant("", ("0.0", "search", "{}"), ("0.1", "search", "{}")),
        result("0.0", "a"),
        result("0.1", "b"),
        user("[state] open"),
    ],
    "broken arguments": [user("find"), assistant("", ("0.0", "search", '{"wor')), result("0.0", "not JSON")],
    "a blank result": [user("find"), assistant("", ("0.0", "search", "{}")), result("0.0", "")],
    "steps of two digits": [
        user("find"),
        assistant("", *((f"12.{n}", "search", "{}") for n in range(12))),
        *(result(f"12.{n}", "x") for n in range(12)),
    ],
    "calls in two turns": [
        user("find"),
        assistant("", ("0.0", "search", "{}")),
        result("0.0", "found"),
        assistant("Here."),
        user("again"),
        assistant("", ("2.0", "search", "{}")),
        result("2.0", "gone"),
    ],
}


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A system prompt, then any steps with any calls, each answered once and in order, and perhaps a tail."""
    messages = [system(draw(texts)), user("begin")]
    for step in range(draw(st.integers(0, 4))):
        calls = [(f"{step}.{n}", "search", draw(arguments)) for n in range(draw(st.integers(0, 3)))]
        messages.append(assistant(draw(texts), *calls))
        messages += [result(id, draw(texts)) for id, _, _ in calls]
        messages += [user(draw(texts)) for _ in range(draw(st.integers(0, 2)))]
    return messages


@given(histories())
def test_any_history_is_valid_for_openai_compatible_servers(history: list[dict[str, Any]]) -> None:
    assert openai_faults(wire_messages(history, "openai/scripted")) == []


@given(histories())
def test_any_history_is_valid_for_mistral(history: list[dict[str, Any]]) -> None:
    assert mistral_faults(wire_messages(history, "mistral/mistral-large")) == []


@given(histories(), st.sampled_from(["openai/x", "mistral/x", "anthropic/claude-x"]))
def test_wiring_leaves_the_shared_messages_alone(history: list[dict[str, Any]], litellm_model: str) -> None:
    before = repr(history)

    wire_messages(history, litellm_model)

    assert repr(history) == before


@pytest.mark.parametrize("shape", SHAPES)
async def test_what_an_openai_compatible_server_receives_is_valid(
    server: ModelServer, model: Model, shape: str
) -> None:
    await answer(model, asking(*SHAPES[shape], tools=[SEARCH]))

    body = server.requests[0]["body"]
    assert openai_faults(body["messages"]) == []
    assert body["tools"][0]["function"]["name"] == "search"


@pytest.mark.parametrize("shape", SHAPES)
async def test_what_anthropic_receives_is_valid(server: ModelServer, shape: str) -> None:
    body = await body_for(server, "anthropic/claude-sonnet-4-5", SHAPES[shape])

    assert anthropic_faults(body) == []


async def test_withheld_tools_stay_in_the_list(server: ModelServer, model: Model) -> None:
    await answer(model, asking(user("stop"), tools=[SEARCH], withhold_tools=True))

    body = server.requests[0]["body"]
    assert (body["tool_choice"], len(body["tools"])) == ("none", 1)


async def test_an_agent_without_tools_sends_none(server: ModelServer, model: Model) -> None:
    await answer(model, asking(user("hello"), withhold_tools=True))

    assert "tools" not in server.requests[0]["body"]
    assert "tool_choice" not in server.requests[0]["body"]


async def test_signed_reasoning_goes_back_to_its_own_family(server: ModelServer) -> None:
    block = {"type": "thinking", "thinking": "hm", "signature": "sig"}
    history = [
        user("find"),
        assistant("Well.", opaque={"thinking_blocks": [block]}, family="anthropic/claude"),
        user("and?"),
    ]

    same = await body_for(server, "anthropic/claude-sonnet-4-5", history)
    other = wire_messages(history, "openai/gpt-4.1")

    assert same["messages"][1]["content"][0] == block
    assert "sig" not in repr(other)


async def test_cache_marks_stand_before_the_tail(server: ModelServer) -> None:
    history = [system("Be brief."), user("hello"), assistant("Hi."), user("more"), user("[state] open")]

    body = await body_for(server, "anthropic/claude-sonnet-4-5", history)

    last = body["messages"][-1]["content"]
    assert "cache_control" in body["system"][0]
    assert ["cache_control" in block for block in last] == [True, False]


async def test_no_temperature_is_sent_beside_reasoning_where_that_is_refused(server: ModelServer) -> None:
    settings = {"temperature": 0, "reasoning_effort": "low", "max_tokens": 4096}

    body = await body_for(server, "anthropic/claude-sonnet-4-5", [user("hello")], settings=settings)

    assert "thinking" in body
    assert "temperature" not in body


async def test_settings_reach_the_provider(server: ModelServer, model: Model) -> None:
    await answer(model, asking(user("hello"), settings={"temperature": 0, "seed": 1, "max_tokens": None, "stop": ()}))

    body = server.requests[0]["body"]
    assert (body["temperature"], body["seed"]) == (0, 1)
    assert "max_tokens" not in body
    assert "stop" not in body


@given(st.integers(0, 999_999), st.integers(0, 999))
def test_a_wire_id_leads_back_to_its_call(step: int, index: int) -> None:
    assert call_id(wire_id(f"{step}.{index}")) == f"{step}.{index}"


async def body_for(server: ModelServer, litellm_model: str, history: list[dict[str, Any]], **more: Any) -> Any:
    """The body of a request in a provider's own shape; the scripted server's answer is not in that shape."""
    base = server.url.removesuffix("/v1")
    model = LiteLLMModel(OneConnection(Connection(litellm_model, api_base=base, api_key="k")))
    with contextlib.suppress(ModelError):
        await answer(model, asking(*history, tools=[SEARCH], **more))
    return server.requests[-1]["body"]
