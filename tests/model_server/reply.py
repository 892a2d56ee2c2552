"""What the model server answers to one request: data, so that it can be sent to a server in another process."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Cut = Literal["", "character", "end", "connection"]


class ScriptedCall(BaseModel):
    """One tool call. `arguments` is the text as the model wrote it; `id` empty = made from its place."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    arguments: str = "{}"
    id: str = ""


class Reply(BaseModel):
    """One answer.

    `tokens_per_second` 0 = at once; a token is a word with the space after it.
    `hold_after` = tokens after which it stops until `release`; `first_byte_after_seconds` is waited before any byte.
    `cut`: `character` ends the bytes inside the last character, `end` ends them well but without a finish reason,
    `connection` drops the connection; each after the text.
    `raw` is sent as the whole body, of `raw_type`, for providers with a shape of their own.
    `split_bytes` sends every line of the stream in pieces of that many bytes, so that characters are split on the wire.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = ""
    thinking: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    finish_reason: str = ""
    tokens_per_second: float = 0
    hold_after: int | None = None
    first_byte_after_seconds: float = 0
    status: int = 200
    retry_after: str = ""
    error: str = ""
    error_code: str = ""
    cut: Cut = ""
    split_bytes: int = 0
    tells_usage: bool = True
    is_silent: bool = False
    raw: str = ""
    raw_type: str = "text/event-stream"

    @property
    def ends_with(self) -> str:
        """The finish reason on the wire."""
        return self.finish_reason or ("tool_calls" if self.calls else "stop")


def say(text: str, **more: Any) -> Reply:
    """An answer in words."""
    return Reply(text=text, **more)


def call(name: str, arguments: Mapping[str, Any] | str = "{}", *, id: str = "", **more: Any) -> Reply:
    """An answer with one tool call; arguments as text are sent as they are, broken or not."""
    return calls((name, arguments, id), **more)


def calls(
    *wanted: tuple[str, Mapping[str, Any] | str] | tuple[str, Mapping[str, Any] | str, str], **more: Any
) -> Reply:
    """An answer with several tool calls: (name, arguments) or (name, arguments, id)."""
    return Reply(calls=tuple(_call(*one) for one in wanted), **more)


def fails(status: int, error: str = "", **more: Any) -> Reply:
    """An HTTP error; `retry_after` is the header's text."""
    return Reply(status=status, error=error or f"scripted failure {status}", **more)


def cut(text: str, where: Cut = "character", **more: Any) -> Reply:
    """A stream that breaks off after this text."""
    return Reply(text=text, cut=where, **more)


def silence() -> Reply:
    """A connection that is accepted and never answered."""
    return Reply(is_silent=True)


def _call(name: str, arguments: Mapping[str, Any] | str, id: str = "") -> ScriptedCall:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ScriptedCall(name=name, arguments=text, id=id)
