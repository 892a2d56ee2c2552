"""The table hands each request to the provider in charge."""

from runtime.providers.connections import Connection
from runtime.providers.litellm import LiteLLMModel
from runtime.providers.table import ModelTable
from tests.providers.asking import OneConnection

PLAYBOOK = LiteLLMModel(OneConnection(Connection("openai/playbook")))
OTHERS = LiteLLMModel(OneConnection(Connection("openai/others")))
TABLE = ModelTable({"playbook": PLAYBOOK}, OTHERS)


def test_a_name_with_the_providers_prefix_goes_to_it() -> None:
    assert TABLE.provider_of("playbook/refund") is PLAYBOOK


def test_every_other_name_goes_to_the_rest() -> None:
    assert TABLE.provider_of("anthropic/claude-sonnet-4") is OTHERS
    assert TABLE.provider_of("playbook") is OTHERS
