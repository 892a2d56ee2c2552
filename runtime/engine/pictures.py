"""Images of a prompt: the trajectory names them, their bytes are fetched just before the model is called."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from runtime.domain.context import Prompt
from runtime.ports import Store


async def with_pictures(prompt: Prompt, store: Store, rollout: str) -> Prompt:
    """The prompt whose images have their data; the very same one if it shows none."""
    if not any("images" in message for message in prompt.messages):
        return prompt
    messages = [await _with_data(message, store, rollout) for message in prompt.messages]
    return replace(prompt, messages=tuple(messages))


async def _with_data(message: Mapping[str, Any], store: Store, rollout: str) -> Mapping[str, Any]:
    named: Sequence[Mapping[str, Any]] = message.get("images", ())
    if not named:
        return message
    found = [(image, await store.artifact(rollout, image["id"])) for image in named]
    return {**message, "images": [{**image, "url": data} for image, data in found if data is not None]}
