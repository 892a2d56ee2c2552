"""What people send: checked, and shortened where it is long."""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from runtime.domain.agent import Agent
from runtime.domain.artifact import INPUT_BYTES, NewArtifact, shortened
from runtime.domain.events import ArtifactRef
from runtime.domain.text import is_fit
from studio.errors import Refused, StudioError

MAX_BODY_BYTES = 2 * 1024 * 1024
MAX_CONTENT_BYTES = 1024 * 1024
MAX_SHORT_BYTES = INPUT_BYTES


class TooLong(StudioError):
    """A text over its limit."""

    status: ClassVar[int] = 413

    def __init__(self, what: str, limit_bytes: int) -> None:
        self.what, self.limit_bytes = what, limit_bytes

    def __str__(self) -> str:
        size = f"{self.limit_bytes // 1024} KiB" if self.limit_bytes < 1024 * 1024 else f"{self.limit_bytes >> 20} MiB"
        return f"{self.what} is over {size}. Shorten it, or send it in parts."


def fit_text(text: str, what: str = "The message", limit_bytes: int = MAX_CONTENT_BYTES) -> str:
    """The text itself. Raises Refused for characters that cannot be stored, TooLong over the limit."""
    if not is_fit(text):
        raise Refused(f"{what} has a NUL character or half of a character pair, which cannot be kept. Remove it.")
    if len(text) > limit_bytes // 4 and len(text.encode()) > limit_bytes:
        raise TooLong(what, limit_bytes)
    return text


def head_of(
    content: str, event_id: str, agent: Callable[[], Agent]
) -> tuple[str, NewArtifact | None, ArtifactRef | None]:
    """The content as its event has it; over 64 KiB all becomes an artifact, with a note on how `agent` reads on."""
    is_long = len(content) > INPUT_BYTES // 4
    return shortened(content, INPUT_BYTES, f"input-{event_id}", reads_on=is_long and bool(agent().tools))


def body_sha256(body: Mapping[str, Any]) -> str:
    """The hash by which two bodies under one key are told apart."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
