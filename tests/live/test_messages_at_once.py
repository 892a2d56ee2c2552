"""Many messages at once over many connections to a real server."""

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

from tests.amp import Amp, sign_up

CONNECTIONS, EACH = 4, 5


def send_over_one_connection(amp: Amp, session: str, number: int) -> list[tuple[int, str]]:
    """Status and id of each message."""
    connection = HTTPConnection(amp.url.removeprefix("http://"), timeout=30)
    answers = []
    for message in range(EACH):
        body = json.dumps({"type": "user.input", "content": f"{number}-{message}"})
        headers = amp.headers | {"Content-Type": "application/json", "Idempotency-Key": f"{number}-{message}"}
        connection.request("POST", f"/amp/v1/sessions/{session}/events", body, headers)
        response = connection.getresponse()
        answers.append((response.status, json.loads(response.read()).get("id", "")))
    connection.close()
    return answers


def test_twenty_messages_over_four_connections_are_all_recorded_once_and_without_a_gap(server):
    amp = sign_up(server, "mia")
    amp.publish("echo")
    session = amp.start("echo")["id"]

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        jobs = [pool.submit(send_over_one_connection, amp, session, number) for number in range(CONNECTIONS)]
        answers = [answer for job in jobs for answer in job.result()]
    recorded = until_recorded(amp, session, CONNECTIONS * EACH)

    assert [status for status, _ in answers] == [202] * CONNECTIONS * EACH
    messages = [event for event in recorded if event["type"] == "user.input"]
    assert sorted(event["id"] for event in messages) == sorted(id_ for _, id_ in answers)
    assert [event["pos"] for event in recorded] == list(range(1, len(recorded) + 1))
    assert "locked" not in server.log


def test_pieces_leave_no_rows(server):
    amp = sign_up(server, "mia")
    amp.publish("echo")
    session = amp.start("echo", "one two three four five six")["id"]

    until_recorded(amp, session, 1, "step.completed")

    with sqlite3.connect(server.data / "studio.sqlite3") as database:
        assert database.execute("SELECT count(*) FROM studio_event").fetchone() == (5,)


def until_recorded(amp: Amp, session: str, count: int, type_: str = "user.input") -> list[dict]:
    """The session's events as soon as that many of the type are among them."""
    while True:
        events = amp.events(session)
        if sum(event["type"] == type_ for event in events) >= count:
            return events
