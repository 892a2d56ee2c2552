"""What the model was shown in one step, in foldable parts, word for word, and what changed since the step before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.queries.prompts import StepPrompt
from studio.templatetags.quantities import tokens

Message = Mapping[str, Any]
ROLES = {"system": "System", "user": "Shown to the model", "assistant": "The agent answered", "tool": "Tool answered"}


@dataclass(frozen=True, slots=True)
class Shown:
    """One message. `text` is word for word; `calls`: the calls that stand in it."""

    role: str
    label: str
    text: str
    calls: Sequence[Mapping[str, Any]]
    is_new: bool

    @property
    def tokens(self) -> str:
        return tokens(self.text + "".join(str(call["arguments"]) for call in self.calls))


@dataclass(frozen=True, slots=True)
class PromptParts:
    """The whole request. `new_count` messages were not in the request of the step `since` (None = the first)."""

    prompt: StepPrompt
    system: Sequence[Shown]
    history: Sequence[Shown]
    tail: Sequence[Shown]
    tools: Sequence[Mapping[str, Any]]
    settings: Mapping[str, Any]
    new_count: int
    since: int | None

    @property
    def history_label(self) -> str:
        return "1 message" if len(self.history) == 1 else f"{len(self.history)} messages"

    @property
    def news(self) -> str:
        """`3 new since llm_2`; empty if it is the first request, or nothing is new."""
        return f"{self.new_count} new since llm_{self.since}" if self.since is not None and self.new_count else ""

    @property
    def history_tokens(self) -> str:
        return tokens("".join(message.text for message in self.history))

    @property
    def tools_tokens(self) -> str:
        return tokens(str([dict(tool) for tool in self.tools]))


@dataclass(frozen=True, slots=True)
class Change:
    """One message that the request has and the one before had not (`added`), or the reverse."""

    is_added: bool
    message: Shown


@dataclass(frozen=True, slots=True)
class Changes:
    """The request against the one before; `same` messages at its beginning are alike."""

    since: int
    same: int
    changes: Sequence[Change]
    others: Sequence[str]


def parts_of(prompt: StepPrompt, before: StepPrompt | None) -> PromptParts:
    """The parts of a request, its news marked against the one before."""
    messages = prompt.messages
    end = len(messages) - prompt.tail
    systems = sum(message["role"] == "system" for message in messages[:1])
    same = _same(history_of(prompt), history_of(before)) if before is not None else end
    shown = [_shown(message, index >= same, messages) for index, message in enumerate(messages)]
    return PromptParts(
        prompt=prompt,
        system=shown[:systems],
        history=shown[systems:end],
        tail=shown[end:],
        tools=prompt.prompt.tools,
        settings=prompt.prompt.settings,
        new_count=end - same,
        since=before.step if before is not None else None,
    )


def changes_of(prompt: StepPrompt, before: StepPrompt) -> Changes:
    """What was added and what left since the request before."""
    now, then = prompt.messages, before.messages
    same = _same(now, then)
    gone = [Change(False, _shown(message, False, then)) for message in then[same:]]
    added = [Change(True, _shown(message, True, now)) for message in now[same:]]
    return Changes(before.step, same, [*gone, *added], _others(prompt, before))


def history_of(prompt: StepPrompt) -> list[dict[str, Any]]:
    """The messages without the tail, which is made anew for each step."""
    messages = prompt.messages
    return messages[: len(messages) - prompt.tail]


def _same(one: Sequence[Message], other: Sequence[Message]) -> int:
    """How many messages at the beginning are equal."""
    count = 0
    for ours, theirs in zip(one, other, strict=False):
        if ours != theirs:
            break
        count += 1
    return count


def _others(prompt: StepPrompt, before: StepPrompt) -> list[str]:
    now, then = prompt.prompt, before.prompt
    found = []
    if now.model != then.model:
        found.append(f"The model is {now.model}; it was {then.model}.")
    if now.tools != then.tools:
        found.append("The tools offered are not the same.")
    if now.settings != then.settings:
        found.append("The settings of the model are not the same.")
    if now.withhold_tools != then.withhold_tools:
        found.append("Tools were withheld." if now.withhold_tools else "Tools are offered again.")
    return found


def _shown(message: Message, is_new: bool, messages: Sequence[Message]) -> Shown:
    calls = message.get("tool_calls", ())
    label = ROLES.get(message["role"], message["role"])
    if message["role"] == "tool":
        label = f"{_tool_of(message, messages)} answered"
    return Shown(message["role"], str(label), message.get("content") or "", calls, is_new)


def _tool_of(message: Message, messages: Sequence[Message]) -> str:
    for other in messages:
        for call in other.get("tool_calls", ()):
            if call["id"] == message.get("tool_call_id"):
                return str(call["name"])
    return "Tool"
