"""Which reply answers which request."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tests.model_server.reply import Reply


class Rule(BaseModel):
    """A reply for every request that looks like this. Empty fields match anything.

    `answers` counts the assistant messages in the history, which is the number of the step in a simple rollout.
    Nothing is used up: a request that is repeated after a kill gets the same answer.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    reply: Reply
    last_contains: str = ""
    any_contains: str = ""
    system_contains: str = ""
    last_role: str = ""
    answers: int | None = None
    messages: int | None = None
    tools_withheld: bool | None = None

    def fits(self, body: Mapping[str, Any]) -> bool:
        """Whether this request is meant."""
        messages: Sequence[Mapping[str, Any]] = body.get("messages") or [{}]
        texts = [_text(message) for message in messages]
        system = " ".join(_text(message) for message in messages if message.get("role") == "system")
        return (
            self.last_contains in texts[-1]
            and any(self.any_contains in text for text in texts)
            and self.system_contains in system
            and self.last_role in ("", messages[-1].get("role"))
            and self.answers in (None, sum(message.get("role") == "assistant" for message in messages))
            and self.messages in (None, len(messages))
            and self.tools_withheld in (None, body.get("tool_choice") == "none")
        )


class Script(BaseModel):
    """First the queue, each reply once; then the first rule that fits; then `otherwise`."""

    model_config = ConfigDict(extra="forbid")

    queue: list[Reply] = Field(default_factory=list)
    rules: list[Rule] = Field(default_factory=list)
    otherwise: Reply = Reply(text="All right.")

    def answer(self, body: Mapping[str, Any]) -> Reply:
        """The reply to this request."""
        if self.queue:
            return self.queue.pop(0)
        return next((rule.reply for rule in self.rules if rule.fits(body)), self.otherwise)


Answer = Callable[[Mapping[str, Any]], Reply]


def when(reply: Reply, **looks: Any) -> Rule:
    """A rule: `when(say("hello"), last_contains="hi", answers=0)`."""
    return Rule(reply=reply, **looks)


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else " ".join(str(part.get("text", "")) for part in content)
