"""Which models have a price in LiteLLM's list; the list is read as the file that it is, without the slow import."""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_LIST = "model_prices_and_context_window_backup.json"


def is_priced(litellm_model: str) -> bool:
    """Whether LiteLLM knows what this model costs."""
    provider, _, bare = litellm_model.partition("/")
    return litellm_model in _priced() or _priced().get(bare) == provider


@cache
def _priced() -> dict[str, str]:
    """Models with a price, and the provider of each."""
    package = find_spec("litellm")
    if package is None or package.origin is None:
        return {}
    models = json.loads((Path(package.origin).parent / _LIST).read_text(encoding="utf-8"))
    priced = {name: facts for name, facts in models.items() if facts.get("input_cost_per_token") is not None}
    return {name: str(facts.get("litellm_provider", "")) for name, facts in priced.items()}
