"""Random double clicks, reconnects and kills on approvals: each is decided once, and its call runs once (promise 7)."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.checking import check_database
from tests.acceptance.ledger import Ledger
from tests.acceptance.waiting import until
from tests.amp import sign_up
from tests.model_server.process import ModelServerProcess
from tests.model_server.reply import calls, say
from tests.model_server.script import when
from tests.server import StudioServer, free_port

pytestmark = pytest.mark.acceptance

AGENT = """\
name: payer
model: scripted
system_prompt: You pay.
tools:
  - name: http_request
    idempotent: true
    approval: always
    approvers: [supervisors]
"""
AT_ONCE = 5
CLICKS_OF_EACH = 3
LOST = (OSError, HTTPException)

Click = tuple[str, str, int, Any]
"""Who clicked, the verdict, the status and the answer."""


class Till:
    """A studio with two supervisors and a customer, and the ledger that payments are written to."""

    def __init__(self, folder: Path, model: ModelServerProcess, ledger: Ledger) -> None:
        self.ledger, self.model = ledger, model
        allowed = f"{ledger.host},{model.url.split('/')[2]}"
        folder.mkdir()
        self.server = StudioServer(folder, {"STUDIO_OUTBOUND_ALLOW": allowed})
        self.server.start(first_run=True)
        self.maya = sign_up(self.server, "maya")
        self.supervisors = {name: sign_up(self.server, name, "supervisor") for name in ("priya", "sam")}
        self.server.manage(
            "models", "add", "scripted", "--model", "openai/scripted", "--address", model.url, "--no-key"
        )
        for method, path, body in (("PUT", "/agents/payer", AGENT.encode()), ("POST", "/agents/payer/publish", {})):
            status, answer = self.maya.call(method, path, body)
            assert status in (200, 201), answer

    def restart(self) -> None:
        """kill -9, and a new server on another port."""
        self.server.kill()
        self.server.port = free_port()
        for amp in (self.maya, *self.supervisors.values()):
            amp.url = self.server.url
        self.server.start()

    def ask(self, count: int, first: int) -> dict[str, str]:
        """So many sessions whose agent asks for leave to pay; the question of each, by the path that it pays to."""
        paths = [f"/act/{number}" for number in range(first, first + count)]
        args = {path: {"method": "POST", "url": self.ledger.url + path} for path in paths}
        rules = [when(calls(("http_request", args[path])), last_contains=f"Pay {path}.", answers=0) for path in paths]
        self.model.script(rules=tuple(rules), otherwise=say("It is settled."))
        for path in paths:
            self.maya.start("payer", f"Pay {path}.")
        until(lambda: len(self.questions()) == count)
        return {question["args"]["url"].removeprefix(self.ledger.url): question["id"] for question in self.questions()}

    def questions(self) -> list[dict[str, Any]]:
        return list(self.supervisors["priya"].call("GET", "/approvals")[1]["approvals"])

    def question(self, id_: str) -> dict[str, Any]:
        return dict(self.supervisors["sam"].call("GET", f"/approvals/{id_}")[1])

    def click(self, name: str, question: dict[str, Any], verdict: str, key: str) -> Click:
        """One click; again and again with the same body, as a browser does, while nobody answers."""
        body = {"verdict": verdict} | ({"args_sha256": question["args_sha256"]} if verdict == "approve" else {})
        headers = {"Idempotency_Key": key} if key else {}
        try:
            status, answer = self.supervisors[name].call("POST", f"/approvals/{question['id']}", body, **headers)
        except LOST:
            return name, verdict, 0, None
        return name, verdict, status, answer


@pytest.fixture
def till(tmp_path) -> Iterator[Till]:
    with ModelServerProcess() as model, Ledger() as ledger:
        till = Till(tmp_path / "data", model, ledger)
        try:
            yield till
        finally:
            till.server.stop()
        check_database(till.server.data)


def clicks(chance: random.Random) -> list[tuple[str, str, str]]:
    """Two people, some clicks each, with a mind of their own; with one key for all of theirs, or without."""
    made = []
    for name in ("priya", "sam"):
        verdict = chance.choice(["approve", "approve", "deny"])
        key = chance.choice(["", f"{name}-{chance.random()}"])
        made += [(name, verdict, key)] * chance.randint(1, CLICKS_OF_EACH)
    chance.shuffle(made)
    return made


def decide_at_random(till: Till, count: int, first: int, *, chance: random.Random) -> int:
    """So many questions, all clicked on at once, perhaps with a kill in between; the clicks."""
    asked = till.ask(count, first)
    shown = {question["id"]: question for question in till.questions()}
    wanted = [(id_, *click) for id_ in asked.values() for click in clicks(chance)]
    chance.shuffle(wanted)
    kills = chance.random() < 0.7
    with ThreadPoolExecutor(8) as pool:
        done = [pool.submit(till.click, name, shown[id_], verdict, key) for id_, name, verdict, key in wanted]
        if kills:
            done[chance.randrange(len(done))].result()
            till.restart()
        made = [(id_, future.result()) for (id_, *_), future in zip(wanted, done, strict=True)]
    if kills:  # whoever got no answer clicks again
        lost = [
            (id_, name, verdict, key)
            for (id_, name, verdict, key), (_, click) in zip(wanted, made, strict=True)
            if not click[2]
        ]
        made += [(id_, till.click(name, shown[id_], verdict, key)) for id_, name, verdict, key in lost]
    for path, id_ in asked.items():
        check_decided_once(till, path, id_, [click for of, click in made if of == id_])
    return len(wanted)


def check_decided_once(till: Till, path: str, id_: str, made: list[Click]) -> None:
    """One decision; who came with another was told of it; the call ran once if it was approved, else never."""
    question = till.question(id_)
    decided = question["decided"]
    until(lambda: _types(till, question).count("tool.result") == 1)
    types = _types(till, question)
    assert types.count("approval.decision") == 1
    for name, verdict, status, answer in made:
        if status == 200:
            assert (name, verdict) == (decided["by"], decided["verdict"]), question
        elif status:
            assert status == 409, answer
            assert {word: answer["decided"][word] for word in ("by", "verdict", "at")} == {
                word: decided[word] for word in ("by", "verdict", "at")
            }
    is_approved = decided["verdict"] == "approve"
    assert till.ledger.acts.count(path) in ((1, 2) if is_approved else (0,))
    if types.count("tool.started") == 1:
        assert till.ledger.acts.count(path) == 1


def _types(till: Till, question: dict[str, Any]) -> list[str]:
    return [event["type"] for event in till.supervisors["priya"].events(question["session"])]


def play(till: Till, decisions: int, seed: int) -> None:
    chance = random.Random(seed)
    made = 0
    for first in range(0, decisions, AT_ONCE):
        made += decide_at_random(till, AT_ONCE, first, chance=chance)
    assert made >= 2 * decisions
    assert till.questions() == []


def test_two_people_click_at_once_while_the_server_is_killed(till):
    play(till, 20, seed=7)


@pytest.mark.chaos
def test_a_thousand_double_clicks_reconnects_and_kills(till):
    play(till, 250, seed=1)  # 4 clicks each on the average
