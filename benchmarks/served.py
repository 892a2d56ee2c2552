"""`manage.py serve` with the benchmarks' models: `python -m benchmarks.served PORT`.

The product's code is as it is. The playbook `echo` is another one here: it speaks as many stamped tokens as the message
asks for (`stream 500`), or makes as many tool calls one after another (`call 50 URL`). Each request of the model leaves
a line in the file `model.log` of the data folder; at SIGUSR1 the names of all imported modules go to `modules.log`.
"""

from daphne import server as _daphne  # noqa: F401  # chooses the reactor before anything else does

import asyncio  # isort: skip
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import django

from runtime.ports import Chunk, ModelRequest, OutputDelta
from runtime.providers import playbook
from runtime.providers.playbook import Finished, Line, Playbook

TOKENS_PER_SECOND = 100
STREAM, CALL = "stream", "call"


@dataclass(slots=True)
class Speaker(Playbook):
    """Stands in for `Playbook` in the wiring."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        answers = sum(message["role"] == "assistant" for message in request.messages)
        _note("model.log", f"{answers} {time.monotonic()}\n")
        order, count, *more = _order(request)
        if order == STREAM:
            async for chunk in _stamped(int(count)):
                yield chunk
            return
        line = Line(text="Done.")
        if answers < int(count):
            line = Line(calls=(("http_request", {"method": "POST", "url": f"{more[0]}/act/{answers}"}),))
        async for chunk in playbook.spoken(line, request):
            yield chunk


async def _stamped(count: int) -> AsyncIterator[Chunk]:
    """Each token is the time at which it was handed over, in nanoseconds of the machine's monotonic clock."""
    began = time.monotonic()
    for number in range(count):
        await asyncio.sleep(began + number / TOKENS_PER_SECOND - time.monotonic())
        yield OutputDelta(f"{time.monotonic_ns()} ")
    yield Finished("stop", 1, count, cost_usd=0.0)


def _order(request: ModelRequest) -> list[str]:
    """The words of the last message that gives an order."""
    texts = [str(message["content"]) for message in request.messages if message["role"] == "user"]
    words = texts[-1].replace("<", " ").replace(">", " ").split()
    starts = [number for number, word in enumerate(words) if word in (STREAM, CALL)]
    return words[starts[-1] :][:3]


def _note(name: str, text: str) -> None:
    with (Path(os.environ["STUDIO_DATA"]) / name).open("a") as file:
        file.write(text)


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "studio.settings"
    django.setup()
    from django.core.management import call_command

    from studio import wiring

    wiring.Playbook = Speaker  # type: ignore[misc]
    signal.signal(signal.SIGUSR1, lambda *_: _note("modules.log", "\n".join([*sorted(sys.modules), ""])))
    call_command("serve", "--port", sys.argv[1])


if __name__ == "__main__":
    main()
