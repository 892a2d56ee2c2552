"""Where a model is reached and with which key: what a provider needs from the installation."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Client(StrEnum):
    """Our code that speaks to the model: through LiteLLM, or OpenAI's protocol directly."""

    LITELLM = "litellm"
    NATIVE = "native"


def usual_client(litellm_model: str, address: str) -> Client:
    """What fits where nothing was chosen: a server of one's own that speaks like OpenAI's is spoken to directly."""
    return Client.NATIVE if address and litellm_model.startswith("openai/") else Client.LITELLM


@dataclass(frozen=True, slots=True)
class Prices:
    """What an administrator entered, in USD per million tokens."""

    in_usd: float
    out_usd: float

    def cost_usd(self, tokens_in: int, tokens_out: int) -> float:
        """The price of one call."""
        return (tokens_in * self.in_usd + tokens_out * self.out_usd) / 1_000_000


@dataclass(frozen=True, slots=True)
class Connection:
    """A model as LiteLLM is asked for it. Empty `api_base` = the provider's own address; `prices` None = not entered.

    `name` is what people call the connection; `api_key` is never shown, not even in a repr.
    """

    litellm_model: str
    name: str = ""
    api_base: str = ""
    api_key: str = field(default="", repr=False)
    prices: Prices | None = None
    client: Client = Client.LITELLM


class Connections(Protocol):
    """Finds the connection for the model string of an agent file."""

    async def resolve(self, model: str, project: str) -> Connection:
        """`model` is the name of a connection, or a LiteLLM string whose provider has a connection.

        Raises ModelError (authentication, or not_found) that says what an administrator must do.
        """
        ...
