"""What a script can tell from a request: who said what last, and which tools have answered since."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

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

    def mentions(self, *words: str) -> bool:
        """Whether the newest message has one of these words, in any case."""
        lowered = self.said.lower()
        return any(word in lowered for word in words)

    def has_result(self, *words: str) -> bool:
        """Whether one of the results has one of these words."""
        return any(word in result for result in self.results for word in words)


def scene(request: ModelRequest) -> Scene:
    """The scene at the end of the request's history."""
    said, turns, was_stopped, rang = "", 0, False, ""
    results: list[str] = []
    timers: list[str] = []
    for message in request.messages:
        content = message.get("content") or ""
        if message["role"] == "tool":
            results.append(content)
            timers += _TIMER.findall(content)
        for tag, _, text in _SAID.findall(content) if message["role"] == "user" else ():
            if tag == "late-result":
                results.append(html.unescape(text))
                continue
            if tag == "timer":
                rang, results = html.unescape(text.strip()), []
                continue
            was_stopped = tag == "interrupt" and text.startswith("Stop.")
            if was_stopped:
                continue
            said, turns, rang, results = html.unescape(text.strip()), turns + 1, "", []
    return Scene(said, results, turns, was_stopped, rang, timers)
