"""Whatever LiteLLM raises, as a ModelError: a kind, a plain sentence, and whether to try again."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from runtime.ports import ModelError
from runtime.providers.connections import Connection
from runtime.providers.litellm.retry_after import retry_after_seconds
from runtime.providers.litellm.schema_refusal import schema_refusal

REASON_CHARACTERS = 300
TOO_LONG = (
    "context length",
    "context window",
    "context_length",
    "maximum context",
    "exceed_context_size",
    "exceeds the available context",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "input token count",
)
NO_CREDIT = ("insufficient_quota", "credit balance", "billing", "payment required", "exceeded your current quota")
REFUSED = ("content_filter", "content_policy_violation", "content management policy", "safety system")
YOUR_SERVER = "Check that its address is right and that the server there runs."
THEIR_SERVER = "Check that this machine can reach its provider over the internet."
UNREACHABLE = ("connection error", "cannot connect", "connect call failed", "connection refused", "name or service")
NO_PROVIDER = ("llm provider not provided", "unknown provider")
PREFIX = re.compile(r"^(litellm\.\w+|\w*(Exception|Error)|Error code: \d+)\s*[:-]\s*")


def cut_off(connection: Connection) -> ModelError:
    """The answer stopped in the middle."""
    sentence = f"The answer of {_called(connection)} broke off before its end. It is asked again."
    return ModelError(sentence, kind="cut_off", retryable=True)


def as_model_error(error: Exception, connection: Connection, tools: Sequence[Mapping[str, Any]] = ()) -> ModelError:
    """`tools` are those of the request, to name the one whose schema was refused."""
    original = getattr(error, "original_exception", None)
    if "MidStreamFallbackError" in _classes(error) and isinstance(original, Exception):
        inner = as_model_error(original, connection, tools)
        return inner if inner.kind not in ("unknown", "connection", "overloaded") else cut_off(connection)
    return _Failure(error, connection, tools).told()


class _Failure:
    """One error, looked at from all sides: its classes, its status and its words."""

    def __init__(self, error: Exception, connection: Connection, tools: Sequence[Mapping[str, Any]]) -> None:
        self._error, self._tools = error, tools
        self._model = _called(connection)
        self._where_to_look = YOUR_SERVER if connection.api_base else THEIR_SERVER
        self._classes = _classes(error)
        self._status = getattr(error, "status_code", None)
        self._reason = _reason(error, connection)
        self._words = f"{error} {getattr(error, 'code', '')}".lower()

    def told(self) -> ModelError:
        return self._by_words() or self._by_class() or self._by_status() or self._unknown()

    def _by_words(self) -> ModelError | None:
        if self._says(NO_PROVIDER):
            return self._final(
                "not_found",
                f"{self._model} names no provider that is known here. Write it as provider/model, such as "
                "openai/gpt-4.1-mini, or use the name of a model connection.",
            )
        if self._status == 402 or (self._status in (400, 403, 429) and self._says(NO_CREDIT)):
            return self._final(
                "rate_limit",
                f"The account behind {self._model} has no credit left. An administrator can raise its limit at the "
                f"provider, which says: {self._reason}",
            )
        return None

    def _by_class(self) -> ModelError | None:
        if "ContentPolicyViolationError" in self._classes or self._says(REFUSED):
            return self._final("refused", f"{self._model} refused to answer this. The provider says: {self._reason}")
        if "ContextWindowExceededError" in self._classes:
            return self._too_long()
        if "BadRequestError" in self._classes or self._status in (400, 413, 422):
            return self._bad_request()
        if "APITimeoutError" in self._classes or "TimeoutException" in self._classes or self._status == 408:
            return self._again("timeout", f"{self._model} did not answer in time.")
        if "APIConnectionError" in self._classes or self._says(UNREACHABLE):
            return self._again(
                "connection",
                f"{self._model} cannot be reached. {self._where_to_look}",
            )
        return None

    def _bad_request(self) -> ModelError:
        if self._says(TOO_LONG) or self._status == 413:
            return self._too_long()
        refusal = schema_refusal(str(self._error), self._tools)
        if refusal is not None:
            tool, field = refusal
            where = f"tool {tool!r}" + (f", field {field!r}" if field else "")
            sentence = f"{self._model} refuses the schema of {where}. The provider says: {self._reason}"
            return ModelError(_capital(sentence), kind="tool_schema", retryable=False, tool=tool, field=field)
        return self._refused_request()

    def _by_status(self) -> ModelError | None:
        match self._status:
            case 401:
                return self._final(
                    "authentication",
                    f"The provider refused the key for {self._model}. An administrator can replace it under "
                    "Settings, Models.",
                )
            case 403:
                return self._final(
                    "authentication",
                    f"The key for {self._model} may not do this. An administrator can give it the right at the "
                    f"provider, or replace it under Settings, Models. The provider says: {self._reason}",
                )
            case 404:
                return self._final(
                    "not_found",
                    f"The provider does not know {self._model}. Check the model's name and the address of its "
                    f"connection. The provider says: {self._reason}",
                )
            case 429:
                return self._again("rate_limit", f"{self._model} has had too many requests for now.")
            case int(status) if status >= 500:
                return self._again(
                    "overloaded", f"{self._model} has trouble on its side (HTTP {status}). It says: {self._reason}"
                )
            case int(status) if status >= 400:
                return self._refused_request()
        return None

    def _refused_request(self) -> ModelError:
        return self._final("bad_request", f"{self._model} refused the request. The provider says: {self._reason}")

    def _too_long(self) -> ModelError:
        return self._final(
            "context_too_long",
            f"The conversation is longer than {self._model} can read. Start a new session, or choose a model with a "
            "larger context window.",
        )

    def _unknown(self) -> ModelError:
        return self._again("unknown", f"{self._model} could not answer, for a reason not known here: {self._reason}")

    def _says(self, phrases: Sequence[str]) -> bool:
        return any(phrase in self._words for phrase in phrases)

    def _final(self, kind: str, sentence: str) -> ModelError:
        return ModelError(_capital(sentence), kind=kind, retryable=False)

    def _again(self, kind: str, sentence: str) -> ModelError:
        wish = retry_after_seconds(self._error)
        return ModelError(_capital(sentence), kind=kind, retryable=True, retry_after_seconds=wish)


def _classes(error: Exception) -> frozenset[str]:
    """Names instead of classes: those of LiteLLM, openai, httpx and aiohttp, without importing any of them."""
    return frozenset(kind.__name__ for kind in type(error).__mro__)


def _called(connection: Connection) -> str:
    return f"model {connection.name or connection.litellm_model!r}"


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def _reason(error: Exception, connection: Connection) -> str:
    """The provider's own words on one line, without LiteLLM's prefixes and without the key."""
    text = " ".join(str(getattr(error, "message", "") or error).split())
    while (shorter := PREFIX.sub("", text)) != text:
        text = shorter
    if len(connection.api_key) > 3:
        text = text.replace(connection.api_key, "[key]")
    return text if len(text) <= REASON_CHARACTERS else text[:REASON_CHARACTERS] + " …"
