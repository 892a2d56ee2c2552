"""What a script can tell from a request: who said what last, and which tools have answered since."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from runtime.ports import ModelRequest

_SAID = re.compile(r"<(message|interrupt)[^>]*>(.*?)</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Scene:
    """`said` = the words of the newest message of people; `results` = what tools answered since, in order.

    `turns` = messages of people so far; `was_stopped` = the newest is a bare stop.
    """

    said: str
    results: Sequence[str]
    turns: int
    was_stopped: bool

    def mentions(self, *words: str) -> bool:
        """Whether the newest message has one of these words, in any case."""
        lowered = self.said.lower()
        return any(word in lowered for word in words)


def scene(request: ModelRequest) -> Scene:
    """The scene at the end of the request's history."""
    said, turns, was_stopped = "", 0, False
    results: list[str] = []
    for message in request.messages:
        content = message.get("content") or ""
        if message["role"] == "tool":
            results.append(content)
        for tag, text in _SAID.findall(content) if message["role"] == "user" else ():
            was_stopped = tag == "interrupt" and text.startswith("Stop.")
            if was_stopped:
                continue
            said, turns, results = html.unescape(text.strip()), turns + 1, []
    return Scene(said, results, turns, was_stopped)
