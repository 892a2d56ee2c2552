"""The body of a request, joined from messages that are encoded once."""

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from runtime.ports import ModelRequest
from runtime.providers.connections import Connection
from runtime.providers.wire import (
    TOOL_THEN_USER_REFUSED,
    family_of,
    provider_of,
    wire_message,
    wire_messages,
    wire_settings,
    wire_tools,
)

OPENAI_HOST = "api.openai.com"
MOST_KEPT_BYTES = 32 * 1024 * 1024
ENTRY_BYTES = 500  # what a kept message costs besides its bytes


class Bodies:
    """Builds bodies. A message object is shared by all steps of a rollout and never changes, so its bytes are kept."""

    def __init__(self, most_kept_bytes: int = MOST_KEPT_BYTES) -> None:
        self._most_kept_bytes = most_kept_bytes
        self._kept: OrderedDict[tuple[int, str], tuple[Mapping[str, Any], bytes]] = OrderedDict()
        self._kept_bytes = 0

    def of(self, request: ModelRequest, connection: Connection) -> bytes:
        """The request as JSON for chat completions."""
        rest: dict[str, Any] = {
            "model": _model_name(connection.litellm_model),
            "stream": request.stream,
            **wire_tools(request),
            **_settings(request.settings, connection),
        }
        if request.stream:
            rest["stream_options"] = {"include_usage": True}
        messages = b",".join(self._messages(request, connection.litellm_model))
        return b'{"messages":[' + messages + b"]," + _encoded(rest)[1:]

    def _messages(self, request: ModelRequest, litellm_model: str) -> Iterable[bytes]:
        if provider_of(litellm_model) in TOOL_THEN_USER_REFUSED:  # a message there depends on the one before
            return map(_encoded, wire_messages(request.messages, litellm_model))
        family = family_of(litellm_model)
        return [encoded for message in request.messages if (encoded := self._message(message, family))]

    def _message(self, message: Mapping[str, Any], family: str) -> bytes:
        """Empty if the message says nothing."""
        key = id(message), family  # the message is kept too, so that no other one gets its id
        if (kept := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            return kept[1]
        wired = wire_message(message, family)
        encoded = _encoded(wired) if wired is not None else b""
        self._kept[key] = message, encoded
        self._kept_bytes += len(encoded) + ENTRY_BYTES
        while self._kept_bytes > self._most_kept_bytes:
            _, (_, oldest) = self._kept.popitem(last=False)
            self._kept_bytes -= len(oldest) + ENTRY_BYTES
        return encoded


def _model_name(litellm_model: str) -> str:
    """The name that the server knows: without the provider in front."""
    return litellm_model.partition("/")[2] or litellm_model


def _settings(settings: Mapping[str, Any], connection: Connection) -> dict[str, Any]:
    made = wire_settings(settings, connection.litellm_model)
    if "max_tokens" in made and urlsplit(connection.api_base).hostname == OPENAI_HOST:
        made["max_completion_tokens"] = made.pop("max_tokens")  # its reasoning models refuse the old name
    return made


def _encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
