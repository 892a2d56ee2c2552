"""kill -9 around the commit of what came through a trigger: one session and one event, once the sender tried again."""

import json
import shutil
import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.services.webhook_signature import sign
from tests.acceptance.checking import check_database
from tests.acceptance.killable import KILL_VARIABLE
from tests.acceptance.trigger_stage import SECRET, rows, trigger_seed
from tests.server import StudioServer, free_port

pytestmark = pytest.mark.acceptance

BODY = json.dumps({"event_id": "e-1", "customer": 17}).encode()
SECONDS = 60


@pytest.fixture(scope="module")
def seed(tmp_path_factory) -> Path:
    return trigger_seed(tmp_path_factory.mktemp("stage") / "seed")


def start_killable(data: Path, kill_at: str) -> StudioServer:
    server = StudioServer(data, {KILL_VARIABLE: kill_at})
    server.process = server.spawn("-m", "tests.acceptance.killable", str(server.port))
    return server


def revive(server: StudioServer) -> None:
    """A new server after the kill, on another port."""
    server.process.wait(timeout=SECONDS)
    server.kill()
    server.environment, server.port = {}, free_port()
    server.start()


def send(server: StudioServer, path: str) -> dict[str, Any]:
    """The same delivery, signed anew, as a sender does that had no answer."""
    signed = sign(SECRET, "d-1", int(time.time()), BODY)
    headers = {
        "Webhook-Id": signed.id,
        "Webhook-Timestamp": signed.timestamp,
        "Webhook-Signature": signed.signature,
        "Content-Type": "application/json",
    }
    request = urllib.request.Request(f"{server.url}{path}", BODY, headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        return dict(json.loads(response.read()))


def until(true: Callable[[], bool], server: StudioServer) -> None:
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline, server.log
        time.sleep(0.05)


def check_taken_once(server: StudioServer) -> None:
    """The agent has answered it, and there is one session with one such event."""
    answered = "SELECT count(*) FROM studio_event WHERE type = 50"
    until(lambda: rows(server.data, answered) == [(1,)], server)
    server.stop()
    check_database(server.data)
    assert rows(server.data, "SELECT count(*) FROM studio_ampsession") == [(1,)]
    assert rows(server.data, "SELECT count(*) FROM studio_event WHERE type = 4") == [(1,)]
    accepted = "SELECT count(*) FROM studio_delivery WHERE outcome = 'accepted'"
    assert rows(server.data, accepted) == [(1,)]


@pytest.mark.parametrize("point", ["deliver-before", "deliver-inside", "deliver-after"])
def test_a_delivery_whose_server_was_killed_runs_once_after_it_was_sent_again(seed, tmp_path, point):
    data = Path(shutil.copytree(seed, tmp_path / "data"))
    [(public_id,)] = rows(data, "SELECT public_id FROM studio_trigger WHERE kind = 'webhook'")
    path = f"/hooks/{public_id}/orders"
    server = start_killable(data, f"{point}:1")
    server.wait_until_healthy()
    with pytest.raises((OSError, urllib.error.URLError)):
        send(server, path)
    revive(server)

    first = send(server, path)
    assert first["state"] == ("repeated" if point == "deliver-after" else "accepted")
    assert send(server, path) == first | {"state": "repeated"}
    check_taken_once(server)


@pytest.mark.parametrize("point", ["deliver-before", "deliver-inside", "deliver-after"])
def test_a_schedule_whose_server_was_killed_fires_once_when_it_is_back(seed, tmp_path, point):
    data = Path(shutil.copytree(seed, tmp_path / "data"))
    with sqlite3.connect(data / "studio.sqlite3") as database:
        database.execute("UPDATE studio_trigger SET due_at = 1000000 WHERE kind = 'schedule'")
    server = start_killable(data, f"{point}:1")
    revive(server)

    check_taken_once(server)
