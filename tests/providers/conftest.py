"""A model server, and each provider with one connection to it."""

from collections.abc import AsyncIterator, Callable

import pytest

from runtime.ports import Model
from runtime.providers.connections import Connection, Prices
from runtime.providers.litellm import LiteLLMModel
from runtime.providers.native import NativeModel
from tests.model_server import ModelServer
from tests.providers.asking import OneConnection

type Speaker = Callable[[Connection], Model]

PROVIDERS: dict[str, Speaker] = {
    "litellm": lambda connection: LiteLLMModel(OneConnection(connection)),
    "native": lambda connection: NativeModel(OneConnection(connection)),
}


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server


@pytest.fixture
def connection(server: ModelServer) -> Connection:
    return Connection("openai/scripted", name="shop", api_base=server.url, api_key="sk-secret", prices=Prices(1.0, 2.0))


@pytest.fixture(params=PROVIDERS)
def speaker(request: pytest.FixtureRequest) -> Speaker:
    """Makes a model of a connection; what is tested with it is the contract of all providers."""
    return PROVIDERS[request.param]


@pytest.fixture
def model(speaker: Speaker, connection: Connection) -> Model:
    return speaker(connection)
