"""The port for language models, and what crosses it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from runtime.domain.errors import RuntimeFault


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a model.

    `messages` are neutral: `{"role": "system"|"user"|"assistant"|"tool", "content": str}`; an assistant message may
    carry `tool_calls: [{"id": "3.0", "name": str, "arguments": str}]` and `opaque` with `family` (see StepCompleted);
    a tool message carries `tool_call_id: "3.0"`. Call ids are `STEP.INDEX`: an adapter makes wire ids of them.
    A user message may carry `images: [{"id", "media_type", "url"}]`, each a data URL.
    Message objects are shared between requests and must not be changed.
    `tools` are `ToolSpec.offered()`; `withhold_tools` means tool_choice none with the same list.
    `settings` are the agent file's model_settings (temperature, max_tokens, reasoning_effort, seed, timeout).
    """

    model: str
    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    withhold_tools: bool = False
    stream: bool = True
    project: str = ""


@dataclass(frozen=True, slots=True)
class OutputDelta:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """A piece of the model's visible reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A piece of one tool call. `index` counts the calls of this answer from 0; name comes with the first piece."""

    index: int
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """The last chunk of every complete answer. Counts are None where the provider does not tell; cost None = unknown.

    `finish_reason`: stop, tool_calls, length, refusal (content filter) or other.
    `opaque`: what the provider needs back verbatim with this answer (signed reasoning), for models of `family` only.
    """

    finish_reason: str = "stop"
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    tokens_reasoning: int | None = None
    cost_usd: float | None = None
    opaque: Any = None
    family: str = ""


Chunk = OutputDelta | ThoughtDelta | CallDelta | Finished


class ModelError(RuntimeFault):
    """A model call that failed.

    `sentence` says it in plain words, with what to do. `kind`: rate_limit, overloaded, connection, timeout, cut_off,
    authentication, not_found, bad_request, context_too_long, tool_schema, refused, unknown.
    `retry_after_seconds` is the provider's wish. `tool` and `field` name the schema that a provider refused.
    """

    def __init__(
        self,
        sentence: str,
        *,
        kind: str,
        retryable: bool,
        retry_after_seconds: float | None = None,
        tool: str = "",
        field: str = "",
    ) -> None:
        super().__init__(sentence)
        self.sentence, self.kind, self.retryable = sentence, kind, retryable
        self.retry_after_seconds, self.tool, self.field = retry_after_seconds, tool, field

    def __str__(self) -> str:
        return self.sentence


class Model(Protocol):
    """Code that speaks to a model API."""

    def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """The answer piece by piece, ending in `Finished`; an iterator that ends without it was cut off.

        Raises ModelError. Cancelling the task that iterates closes the connection to the provider.
        """
        ...
