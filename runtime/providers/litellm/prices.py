"""What LiteLLM's list says of models; the list is read as the file that it is, without the slow import."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_LIST = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True, slots=True)
class Listed:
    """What the list knows of a model. `window_tokens`: the longest prompt; 0 = not known."""

    provider: str
    is_priced: bool
    window_tokens: int
    sees_images: bool


_UNKNOWN = Listed("", False, 0, False)


def is_priced(litellm_model: str) -> bool:
    """Whether LiteLLM knows what this model costs."""
    return listed(litellm_model).is_priced


def listed(litellm_model: str) -> Listed:
    """What is known of this model, by its name with or without its provider; nothing of an unknown one."""
    provider, _, bare = litellm_model.partition("/")
    found = _models().get(litellm_model)
    if found is not None:
        return found
    found = _models().get(bare)
    return found if found is not None and found.provider == provider else _UNKNOWN


@cache
def _models() -> dict[str, Listed]:
    package = find_spec("litellm")
    if package is None or package.origin is None:
        return {}
    models = json.loads((Path(package.origin).parent / _LIST).read_text(encoding="utf-8"))
    return {name: _read(facts) for name, facts in models.items()}


def _read(facts: Mapping[str, Any]) -> Listed:
    window = facts.get("max_input_tokens")
    return Listed(
        provider=str(facts.get("litellm_provider", "")),
        is_priced=facts.get("input_cost_per_token") is not None,
        window_tokens=window if isinstance(window, int) else 0,
        sees_images=facts.get("supports_vision") is True,
    )
