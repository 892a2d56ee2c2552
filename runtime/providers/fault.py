"""A model call that failed, as a ModelError: a kind, a plain sentence, and whether to try again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from runtime.ports import ModelError
from runtime.providers.connections import Connection
from runtime.providers.schema_refusal import schema_refusal

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

Sign = Literal["", "refused", "too_long", "bad_request", "timeout", "connection"]


@dataclass(frozen=True, slots=True)
class Fault:
    """What there is to read of a failed call.

    `message`: what the provider says of it. `words`: that and whatever else was said, to look for phrases in.
    `sign`: what is sure without reading; empty where only words and the HTTP status tell.
    """

    message: str
    words: str = ""
    sign: Sign = ""
    status: int | None = None
    retry_after_seconds: float | None = None


def called(connection: Connection) -> str:
    """The model in the middle of a sentence."""
    return f"model {connection.name or connection.litellm_model!r}"


def cut_off(connection: Connection) -> ModelError:
    """The answer stopped in the middle."""
    sentence = f"The answer of {called(connection)} broke off before its end. It is asked again."
    return ModelError(sentence, kind="cut_off", retryable=True)


def as_error(fault: Fault, connection: Connection, tools: Sequence[Mapping[str, Any]] = ()) -> ModelError:
    """`tools` are those of the request, to name the one whose schema was refused."""
    return _Told(fault, connection, tools).error()


class _Told:
    """One fault, looked at from all sides: its sign, its status and its words."""

    def __init__(self, fault: Fault, connection: Connection, tools: Sequence[Mapping[str, Any]]) -> None:
        self._fault, self._tools = fault, tools
        self._model = called(connection)
        self._where_to_look = YOUR_SERVER if connection.api_base else THEIR_SERVER
        self._reason = _reason(fault.message, connection)
        self._words = f"{fault.message} {fault.words}".lower()

    def error(self) -> ModelError:
        return self._by_words() or self._by_sign() or self._by_status() or self._unknown()

    def _by_words(self) -> ModelError | None:
        if self._says(NO_PROVIDER):
            return self._final(
                "not_found",
                f"{self._model} names no provider that is known here. Write it as provider/model, such as "
                "openai/gpt-4.1-mini, or use the name of a model connection.",
            )
        if self._fault.status == 402 or (self._fault.status in (400, 403, 429) and self._says(NO_CREDIT)):
            return self._final(
                "rate_limit",
                f"The account behind {self._model} has no credit left. An administrator can raise its limit at the "
                f"provider, which says: {self._reason}",
            )
        return None

    def _by_sign(self) -> ModelError | None:
        sign, status = self._fault.sign, self._fault.status
        if sign == "refused" or self._says(REFUSED):
            return self._final("refused", f"{self._model} refused to answer this. The provider says: {self._reason}")
        if sign == "too_long":
            return self._too_long()
        if sign == "bad_request" or status in (400, 413, 422):
            return self._bad_request()
        if sign == "timeout" or status == 408:
            return self._again("timeout", f"{self._model} did not answer in time.")
        if sign == "connection" or self._says(UNREACHABLE):
            return self._again("connection", f"{self._model} cannot be reached. {self._where_to_look}")
        return None

    def _bad_request(self) -> ModelError:
        if self._says(TOO_LONG) or self._fault.status == 413:
            return self._too_long()
        refusal = schema_refusal(self._fault.message, self._tools)
        if refusal is not None:
            tool, field = refusal
            where = f"tool {tool!r}" + (f", field {field!r}" if field else "")
            sentence = f"{self._model} refuses the schema of {where}. The provider says: {self._reason}"
            return ModelError(_capital(sentence), kind="tool_schema", retryable=False, tool=tool, field=field)
        return self._refused_request()

    def _by_status(self) -> ModelError | None:
        match self._fault.status:
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
            case int(status) if status >= 300:
                return self._final(
                    "not_found",
                    f"The address of {self._model} leads on to another one, which is not followed with a key. An "
                    "administrator can enter that one under Settings, Models.",
                )
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
        wish = self._fault.retry_after_seconds
        return ModelError(_capital(sentence), kind=kind, retryable=True, retry_after_seconds=wish)


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def _reason(message: str, connection: Connection) -> str:
    """The provider's own words on one line, without the key."""
    text = " ".join(message.split())
    if len(connection.api_key) > 3:
        text = text.replace(connection.api_key, "[key]")
    return text if len(text) <= REASON_CHARACTERS else text[:REASON_CHARACTERS] + " …"
