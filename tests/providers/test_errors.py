"""Whatever goes wrong becomes one ModelError with a sentence."""

from dataclasses import replace

import pytest

from runtime.ports import Model, ModelError
from runtime.providers.connections import Connection
from runtime.providers.litellm import LiteLLMModel
from runtime.providers.schema_refusal import schema_refusal
from tests.model_server import ModelServer, Reply, cut, fails, say, silence
from tests.providers.asking import SEARCH, OneConnection, answer, asking, output, user
from tests.providers.conftest import Speaker

TOO_LONG = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."


async def failure(model: Model, **more: object) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await answer(model, asking(user("hello"), **more))
    return caught.value


@pytest.mark.parametrize(
    ("reply", "kind", "retryable"),
    [
        (fails(429), "rate_limit", True),
        (fails(429, "You exceeded your current quota", error_code="insufficient_quota"), "rate_limit", False),
        (fails(402), "rate_limit", False),
        (fails(500), "overloaded", True),
        (fails(502), "overloaded", True),
        (fails(503), "overloaded", True),
        (fails(529), "overloaded", True),
        (fails(408), "timeout", True),
        (fails(401), "authentication", False),
        (fails(403), "authentication", False),
        (fails(404), "not_found", False),
        (fails(400), "bad_request", False),
        (fails(418), "bad_request", False),
        (fails(400, TOO_LONG), "context_too_long", False),
        (fails(413), "context_too_long", False),
        (fails(400, "blocked", error_code="content_filter"), "refused", False),
        (cut("half ", "character"), "cut_off", True),
        (cut("half ", "end"), "cut_off", True),
        (cut("half ", "connection"), "cut_off", True),
        (cut("", "connection"), "cut_off", True),
    ],
)
async def test_each_failure_has_its_kind_and_is_asked_only_once(
    server: ModelServer, model: Model, reply: Reply, kind: str, retryable: bool
) -> None:
    server.says(reply)

    error = await failure(model)

    assert (error.kind, error.retryable) == (kind, retryable)
    assert "'shop'" in error.sentence
    assert "sk-secret" not in error.sentence
    assert "litellm" not in error.sentence.lower()
    assert len(server.requests) == 1


async def test_retry_after_is_handed_on(server: ModelServer, model: Model) -> None:
    server.says(fails(429, retry_after="7"))

    assert (await failure(model)).retry_after_seconds == 7


async def test_a_date_for_retry_after_in_the_past_means_now(server: ModelServer, model: Model) -> None:
    server.says(fails(503, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"))

    assert (await failure(model)).retry_after_seconds == 0


async def test_silence_ends_in_a_timeout(server: ModelServer, model: Model) -> None:
    server.says(silence())

    error = await failure(model, settings={"timeout_seconds": 0.3})

    assert (error.kind, error.retryable) == ("timeout", True)
    await server.closed_early()


async def test_silence_in_the_middle_ends_in_a_timeout(server: ModelServer, model: Model) -> None:
    server.says(say("a long story", hold_after=1))

    error = await failure(model, settings={"timeout_seconds": 0.3})

    assert (error.kind, error.retryable) == ("timeout", True)
    await server.closed_early()


async def test_a_server_that_is_not_there_cannot_be_reached(connection: Connection, speaker: Speaker) -> None:
    model = speaker(replace(connection, api_base="http://127.0.0.1:9/v1"))

    error = await failure(model)

    assert (error.kind, error.retryable) == ("connection", True)
    assert "Check that its address is right" in error.sentence


async def test_a_model_without_a_provider_is_explained_by_litellm() -> None:
    model = LiteLLMModel(OneConnection(Connection("nonsense", api_key="x")))

    error = await failure(model)

    assert (error.kind, error.retryable) == ("not_found", False)
    assert "provider/model" in error.sentence


async def test_a_refused_tool_schema_names_tool_and_field(server: ModelServer, model: Model) -> None:
    server.says(
        fails(400, "Invalid schema for function 'search': In context=('properties', 'words'), array has no items.")
    )

    error = await failure(model, tools=[SEARCH])

    assert (error.kind, error.tool, error.field) == ("tool_schema", "search", "words")


async def test_a_key_that_the_provider_quotes_is_not_handed_on(server: ModelServer, model: Model) -> None:
    server.says(fails(400, "bad key sk-secret"))

    assert "sk-secret" not in str(await failure(model))


async def test_lone_surrogates_of_a_model_do_not_break_the_answer(server: ModelServer, model: Model) -> None:
    server.says(say("pair \ud83d end"))

    assert output(await answer(model)).endswith(" end")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("tools.1.custom.input_schema: JSON schema is invalid", ("pay", "")),
        (
            "GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[amount].type: unknown",
            ("pay", "amount"),
        ),
        ("Invalid schema for function 'pay': None is not of type 'object'", ("pay", "")),
        ("the schema of pay is too deep", ("pay", "")),
        ("temperature is too high", None),
    ],
)
def test_providers_name_a_refused_tool_in_many_ways(words: str, found: tuple[str, str] | None) -> None:
    assert schema_refusal(words, [{"name": "search"}, {"name": "pay"}]) == found
