"""A model server, and the LiteLLM provider with one connection to it."""

from collections.abc import AsyncIterator

import pytest

from runtime.providers.connections import Connection, Prices
from runtime.providers.litellm import LiteLLMModel
from tests.model_server import ModelServer
from tests.providers.asking import OneConnection


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server


@pytest.fixture
def connection(server: ModelServer) -> Connection:
    return Connection("openai/scripted", name="shop", api_base=server.url, api_key="sk-secret", prices=Prices(1.0, 2.0))


@pytest.fixture
def model(connection: Connection) -> LiteLLMModel:
    return LiteLLMModel(OneConnection(connection))
