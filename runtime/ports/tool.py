"""The port for tools, and what a running tool may know."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from runtime.domain.errors import RuntimeFault
from runtime.domain.tool import ToolSpec


class Artifacts(Protocol):
    """Large texts kept beside one rollout, and those that trajectories name by their hash."""

    async def pinned(self, sha256: str) -> str | None:
        """The text of that hash; None if none is kept."""
        ...

    async def read(self, artifact_id: str, offset: int, limit: int) -> tuple[str, int] | None:
        """Text from `offset` (code points), and the whole length; None if there is no such artifact here."""
        ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a running tool may know. `key` is the idempotency key of the call, the same over all attempts."""

    rollout: str
    session: str
    project: str
    call_id: str
    key: str
    attempt: int
    spec: ToolSpec
    artifacts: Artifacts
    progress: Callable[[int | None, int | None, str], None] = lambda done, total, note: None


class ToolFailed(RuntimeFault):
    """A tool that could not do it. `sentence` is told to the model. Retryable unless it says not."""

    def __init__(self, sentence: str, *, retryable: bool = True) -> None:
        super().__init__(sentence)
        self.sentence, self.retryable = sentence, retryable


class NothingDone(ToolFailed):
    """Raised by a cancelled write tool that can prove that it had no effect."""


class Stopped(ToolFailed):
    """Raised by a cancelled write tool that has ended for good, whatever it did; `sentence` says what is left."""


class Tool(Protocol):
    """A capability with a JSON Schema."""

    @property
    def spec(self) -> ToolSpec: ...

    async def run(self, args: Mapping[str, Any], context: ToolContext) -> str:
        """The result as text for the model (JSON where it is data). Arguments are valid against the schema.

        Raises ToolFailed. Stops within 1 s when cancelled.
        """
        ...
