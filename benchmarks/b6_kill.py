"""B6: `kill -9` in the middle of a turn of 50 tool calls: what is done twice, and how soon it goes on."""

import time
from collections.abc import Callable

from benchmarks.reading import Reading
from benchmarks.server import Served, served
from tests.acceptance.ledger import Ledger
from tests.amp import Amp

CALLS, KILL_AFTER = 50, 25
SECONDS = 120


def measure(*, quick: bool) -> list[Reading]:
    """Always at full length."""
    with Ledger() as ledger, served(ledger.host) as (server, amp):
        ledger.begin()
        session = amp.start("bench", f"call {CALLS} {ledger.url}")["id"]
        _until(lambda: len(ledger.acts) >= KILL_AFTER)
        server.kill()
        done = _done(amp, server, session)
        began = time.monotonic()
        server.start_bench()
        _until(lambda: len(ledger.acts) >= CALLS and _rests(amp, session))
        return _readings(server, ledger, done, began)


def _done(amp: Amp, server: Served, session: str) -> tuple[int, int]:
    """How many steps and tool results were recorded before the kill."""
    code = (
        "from studio.models import Rollout; from studio.store import trajectory;"
        f"r = Rollout.objects.get(session__public_id='{session}');"
        "t = [e.type for e in trajectory(r.pk)];"
        "print(t.count('step.completed'), t.count('tool.result'))"
    )
    steps, results = server.manage("shell", "--no-imports", "-c", code).split()
    return int(steps), int(results)


def _readings(server: Served, ledger: Ledger, done: tuple[int, int], began: float) -> list[Reading]:
    steps, results = done
    asked = [line.split() for line in server.note("model.log")]
    again = [(int(number), float(at)) for number, at in asked if float(at) > began]
    repeated_steps = sum(number < steps for number, _ in again)
    acts = [int(act.rpartition("/")[2]) for act in ledger.acts]
    repeated_calls = sum(acts.count(number) > 1 for number in range(results))
    first = min(at for _, at in again) - began
    return [
        Reading("B6", "recorded model calls asked again", repeated_steps, "calls", goal=0),
        Reading("B6", "recorded tool calls run again", repeated_calls, "calls", goal=0),
        Reading("B6", "all model calls asked again, the one in flight included", len(asked) - CALLS - 1, "calls"),
        Reading("B6", "all tool calls run again, the one in flight included", len(acts) - CALLS, "calls"),
        Reading("B6", "next model call, with the process start", first, "s", goal=1.0),
    ]


def _rests(amp: Amp, session: str) -> bool:
    _, shown = amp.call("GET", f"/sessions/{session}")
    return shown["rollouts"][0]["lifecycle"] == "waiting"


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < deadline, "the turn did not get on"
        time.sleep(0.005)
