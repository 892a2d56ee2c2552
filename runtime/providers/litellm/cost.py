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
    if not is_listed(connection):
        return None
    try:
        parts = litellm.cost_calculator.cost_per_token(model=connection.litellm_model, usage_object=usage)
    except (litellm.ModelNotMappedError, litellm.BadRequestError):
        return None
    return float(sum(parts))


def is_listed(connection: Connection) -> bool:
    """Whether LiteLLM's list may be asked about it."""
    return not (connection.api_base and provider_of(connection.litellm_model) in WITH_AN_ADDRESS_UNKNOWN)


def price_per_token(litellm: Any, connection: Connection) -> tuple[float, float] | None:
    """USD for a token in, and for one out, by LiteLLM's list; None if it does not know the model."""
    try:
        a_million = litellm.cost_calculator.cost_per_token(
            model=connection.litellm_model, prompt_tokens=1_000_000, completion_tokens=1_000_000
        )
    except (litellm.ModelNotMappedError, litellm.BadRequestError):
        return None
    return a_million[0] / 1e6, a_million[1] / 1e6
