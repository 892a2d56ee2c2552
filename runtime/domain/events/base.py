"""What all event payloads have in common."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict

from runtime.domain.text import clean


class Category(StrEnum):
    """What an event is; independent of its urgency."""

    INPUT = "input"
    INTERRUPT = "interrupt"
    THINKING = "thinking"
    ACTION = "action"
    LIFECYCLE = "lifecycle"


def _cleaned(value: Any) -> Any:
    return clean(value) if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_cleaned)]
"""Text from people, tools and models: cleaned when the event is built."""


class Payload(BaseModel):
    """The part of an event that its type decides. Subclasses name their `type`; `version` is that of the shape."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    category: ClassVar[Category]
    version: ClassVar[int] = 1
    wakes: ClassVar[bool] = False
    """Whether the model must answer it. A `tool.result` is decided by `apply`."""
    is_immediate: ClassVar[bool] = False

    type: str

    @property
    def is_urgent(self) -> bool:
        """Whether it cancels work in progress."""
        return False

    @property
    def is_pressing(self) -> bool:
        """Whether it is taken as soon as it is there, even by a paused rollout."""
        return self.is_immediate or self.is_urgent


class ResultStatus(StrEnum):
    """How a call ended."""

    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    UNKNOWN = "unknown"
    LIMIT = "limit"


class Called(Payload):
    """An event that is itself a call of the model: its name, its arguments as given, and the result that it was told.

    `call_id` is empty where no call of the model stands behind it. A call that goes on, such as a sub-agent or a
    question to a person, has no `result` yet.
    """

    call_id: str = ""
    tool: Text = ""
    args: dict[str, Any] | None = None
    status: ResultStatus = ResultStatus.OK
    result: Text = ""

    @property
    def is_settled(self) -> bool:
        """Whether the call has its result in this event."""
        return bool(self.result) or self.status is not ResultStatus.OK


class RecalledEntry(BaseModel):
    """One version of a memory by its name and hash; the value itself lives in the memory table, where it can be erased.

    `tainted`: it was written after untrusted content was read, and nobody had confirmed it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    namespace: str = "user"
    key: Text
    version: int
    sha256: str
    tainted: bool = False


class MemoryNamed(BaseModel):
    """What a call has read of a person's memory, or (`wrote`) written into it. `owner`: the person's public id."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    owner: str
    owner_name: Text = ""
    entries: tuple[RecalledEntry, ...] = ()
    wrote: bool = False


class FileRef(BaseModel):
    """A file that a person sent along, kept beside the rollout; of a text the event has the head."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: Text
    media_type: str
    bytes: int
    head: Text = ""

    @property
    def is_image(self) -> bool:
        return self.media_type.startswith("image/")


class ArtifactRef(BaseModel):
    """A large text that is kept beside the rollout; the event has only its head."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    characters: int
