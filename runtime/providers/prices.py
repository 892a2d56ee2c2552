"""What the models of this installation cost, where that is known: for what is set aside of a budget."""

from collections.abc import Mapping, Sequence

from runtime.ports import ModelError
from runtime.providers.connections import Connection, Connections
from runtime.providers.litellm.cost import is_listed, price_per_token
from runtime.providers.litellm.library import library


class ConnectedPrices:
    """The prices of connections, else those of LiteLLM's list."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def of(self, project: str, models: Sequence[str]) -> Mapping[str, tuple[float, float]]:
        """USD for a token in, and for one out, by model; those without a known price are left out."""
        found = {}
        for model in models:
            try:
                connection = await self._connections.resolve(model, project)
            except ModelError:  # said when it is called
                continue
            price = await _price(connection)
            if price is not None:
                found[model] = price
        return found


async def _price(connection: Connection) -> tuple[float, float] | None:
    if connection.prices is not None:
        return connection.prices.cost_usd(1, 0), connection.prices.cost_usd(0, 1)
    if not is_listed(connection):
        return None
    return price_per_token(await library(), connection)
