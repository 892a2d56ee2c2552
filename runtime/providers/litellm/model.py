"""The Model port over LiteLLM."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from runtime.ports import Chunk, Finished, ModelError, ModelRequest
from runtime.providers.connections import Connection, Connections
from runtime.providers.fault import cut_off
from runtime.providers.litellm.answer import Answer
from runtime.providers.litellm.cost import cost_usd
from runtime.providers.litellm.errors import as_model_error
from runtime.providers.litellm.library import library
from runtime.providers.wire import family_of, provider_of, silence_seconds, wire_messages, wire_settings, wire_tools

NO_KEY = "none"  # with an empty one LiteLLM would take a key from the environment


class LiteLLMModel:
    """Speaks to every provider that LiteLLM knows, and to OpenAI-compatible servers."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def prepare(self) -> None:
        """Imports LiteLLM, in a thread, so that the first call does not wait for it."""
        await library()

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The answer piece by piece; see the port."""
        connection = await self._connections.resolve(request.model, request.project)
        async with aclosing(self.answer(request, connection)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def answer(self, request: ModelRequest, connection: Connection) -> AsyncGenerator[Chunk]:
        """The answer over a connection that is known already."""
        litellm = await library()
        answer, response = Answer(), None
        try:
            response = await litellm.acompletion(**_arguments(request, connection))
            async for piece in _pieces(response, request.stream):
                for chunk in answer.read(piece):
                    yield chunk
            if not answer.reason or _was_cut_off(response):
                raise cut_off(connection)
            yield _finished(litellm, connection, answer, _tells_usage(response))
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001 - an edge: whatever a provider's library raises becomes a sentence
            raise as_model_error(error, connection, request.tools) from None  # the cause may quote the key
        finally:
            if request.stream and response is not None:
                await response.aclose()


def _arguments(request: ModelRequest, connection: Connection) -> dict[str, Any]:
    arguments = {
        "model": connection.litellm_model,
        "messages": wire_messages(request.messages, connection.litellm_model),
        "api_key": connection.api_key or NO_KEY,
        "timeout": silence_seconds(request.settings),
        "max_retries": 0,  # its own retries turned one 500 into three requests over 14 s
        "stream": request.stream,
        **wire_tools(request),
        **wire_settings(request.settings, connection.litellm_model),
    }
    if request.stream:
        arguments["stream_options"] = {"include_usage": True}
    if connection.api_base:
        arguments["api_base"] = connection.api_base
        if not provider_of(connection.litellm_model):
            arguments["custom_llm_provider"] = "openai"
    return arguments


async def _pieces(response: Any, is_stream: bool) -> AsyncIterator[Any]:
    if not is_stream:
        yield response
        return
    async for piece in response:
        yield piece


def _was_cut_off(response: Any) -> bool:
    """LiteLLM makes up `stop` when a stream just ends; it remembers whether the provider said anything."""
    said = ("received_finish_reason", "intermittent_finish_reason", "received_any_finish_reason")
    return hasattr(response, said[0]) and not any(getattr(response, name, None) for name in said)


def _tells_usage(response: Any) -> bool:
    """Whether the provider counted; LiteLLM estimates by itself when it did not."""
    chunks = getattr(response, "chunks", None)
    return chunks is None or any(getattr(chunk, "usage", None) for chunk in chunks)


def _finished(litellm: Any, connection: Connection, answer: Answer, tells_usage: bool) -> Finished:
    usage = answer.usage if tells_usage else None
    prompt, completion = (
        getattr(usage, "prompt_tokens_details", None),
        getattr(usage, "completion_tokens_details", None),
    )
    return Finished(
        finish_reason=answer.reason,
        tokens_in=getattr(usage, "prompt_tokens", None),
        tokens_out=getattr(usage, "completion_tokens", None),
        tokens_cached=getattr(prompt, "cached_tokens", None),
        tokens_reasoning=getattr(completion, "reasoning_tokens", None),
        cost_usd=cost_usd(litellm, connection, usage),
        opaque=answer.opaque,
        family=family_of(connection.litellm_model),
    )
