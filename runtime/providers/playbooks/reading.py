"""What a script can tell from a request: who said what last, and which tools have answered since."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from runtime.ports import ModelRequest

_SAID = re.compile(r"<(message|interrupt|timer|late-result)([^>]*)>(.*?)</\1>", re.DOTALL)
_TIMER = re.compile(r"The timer ([0-9.]+) is set")


@dataclass(frozen=True, slots=True)
class Scene:
    """`said` = the words of the newest message of people; `results` = what tools answered since, in order.

    `turns` = messages of people so far; `was_stopped` = the newest is a bare stop; `rang` = the note of a timer that
    went off since, and `timers` = the ids of those that were set.
    """

    said: str
    results: Sequence[str]
    turns: int
    was_stopped: bool
    rang: str = ""
    timers: Sequence[str] = ()
    heard: Sequence[str] = ()
    known: Sequence[str] = ()

    def mentions(self, *words: str) -> bool:
        """Whether the newest message has one of these words, in any case."""
        lowered = self.said.lower()
        return any(word in lowered for word in words)

    def has_result(self, *words: str) -> bool:
        """Whether one of the results has one of these words."""
        return any(word in result for result in self.results for word in words)

    def knows(self, *words: str) -> bool:
        """Whether one of the answers of tools in the whole history has one of these words."""
        return any(word in result for result in self.known for word in words)


def scene(request: ModelRequest) -> Scene:
    """The scene at the end of the request's history."""
    reader = _Reader()
    for message in request.messages:
        reader.read(str(message["role"]), str(message.get("content") or ""))
    return reader.scene()


@dataclass(slots=True)
class _Reader:
    """Reads a history message by message."""

    said: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    was_stopped: bool = False
    rang: str = ""
    timers: list[str] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    _has_answered: bool = False

    def read(self, role: str, content: str) -> None:
        if role == "assistant":
            self._has_answered = True
        elif role == "tool":
            self._answered(content)
            self.timers += _TIMER.findall(content)
        elif role == "user":
            for tag, _, text in _SAID.findall(content):
                self._told(tag, html.unescape(text.strip()))

    def _told(self, tag: str, text: str) -> None:
        if tag == "late-result":
            self._answered(text)
        elif tag == "timer":
            self.rang, self.results = text, []
        else:
            self._said_by_people(tag, text)

    def _said_by_people(self, tag: str, text: str) -> None:
        self.was_stopped = tag == "interrupt" and text.startswith("Stop.")
        if self.was_stopped:
            return
        self.said = [text] if self._has_answered else [*self.said, text]
        self._has_answered = False
        self.heard.append(text)
        self.rang, self.results = "", []

    def _answered(self, text: str) -> None:
        self.results.append(text)
        self.known.append(text)

    def scene(self) -> Scene:
        return Scene(
            "\n".join(self.said),
            self.results,
            len(self.heard),
            self.was_stopped,
            self.rang,
            self.timers,
            self.heard,
            self.known,
        )
