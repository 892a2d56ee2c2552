"""Whether it is known what a model costs."""

from runtime.providers.connections import Client, Connection
from runtime.providers.litellm.cost import is_listed
from runtime.providers.litellm.prices import is_priced
from studio.store.abilities import PLAYBOOK
from studio.store.connections import connection_row


def has_price(model: str) -> bool:
    """For the model string of an agent file: free, priced by an administrator, or in LiteLLM's list."""
    if model.startswith(PLAYBOOK):
        return True
    row = connection_row(model)
    if row is None:
        return is_priced(model)
    is_its_own = model in (row.name, row.litellm_model)
    if is_its_own and row.input_price_usd is not None and row.output_price_usd is not None:
        return True
    spoken_to = row.litellm_model if is_its_own else model
    if row.client == Client.NATIVE:
        return False
    return is_listed(Connection(spoken_to, api_base=row.address)) and is_priced(spoken_to)
