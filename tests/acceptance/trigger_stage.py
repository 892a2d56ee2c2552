"""A studio whose agent has a webhook and a schedule, set up once and copied for each run."""

import sqlite3
from pathlib import Path
from typing import Any

from tests.amp import sign_up
from tests.server import StudioServer
from tests.warm_process import run_warm

SECRET = "a-secret-of-the-order-system"
AGENT = """\
name: order-desk
model: playbook/echo
system_prompt: You are helpful.
triggers:
  - webhook: {name: orders, secret: ORDERS_HOOK, dedupe: body.event_id, session_by: body.customer}
  - schedule: {cron: "0 0 1 1 *", input: Yearly report}
"""


def trigger_seed(folder: Path) -> Path:
    """A data folder with that agent; no server uses it."""
    folder.mkdir()
    server = StudioServer(folder).start(first_run=True)
    amp = sign_up(server, "maya")
    run_warm(["-m", "tests.acceptance.store_secret", "ORDERS_HOOK", SECRET], server.env)
    assert amp.call("PUT", "/agents/order-desk", AGENT.encode())[0] == 201
    status, answer = amp.call("POST", "/agents/order-desk/publish", {})
    assert status == 200, answer
    server.stop()
    return folder


def rows(data: Path, statement: str) -> list[Any]:
    with sqlite3.connect(data / "studio.sqlite3") as database:
        return database.execute(statement).fetchall()
