"""What an answer cost, as far as anybody knows."""

from typing import Any

from runtime.providers.connections import Connection
from runtime.providers.wire import provider_of

WITH_AN_ADDRESS_UNKNOWN = frozenset(
    {"", "openai", "custom_openai", "hosted_vllm", "ollama", "ollama_chat", "lm_studio"}
)


def cost_usd(litellm: Any, connection: Connection, usage: Any) -> float | None:
    """The prices of the connection, else LiteLLM's list; None if neither knows.

    A model behind an address of one's own may only be called like a known one, so the list says nothing about it.
    """
    if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    if connection.prices is not None:
        return connection.prices.cost_usd(usage.prompt_tokens, usage.completion_tokens)
    if connection.api_base and provider_of(connection.litellm_model) in WITH_AN_ADDRESS_UNKNOWN:
        return None
    try:
        parts = litellm.cost_calculator.cost_per_token(model=connection.litellm_model, usage_object=usage)
    except (litellm.ModelNotMappedError, litellm.BadRequestError):
        return None
    return float(sum(parts))
