"""One studio, one model server and one ledger, set up once and copied for each run."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

from tests.acceptance.checking import check_database
from tests.acceptance.killable import KILL_VARIABLE
from tests.acceptance.ledger import Ledger
from tests.acceptance.story import Story
from tests.amp import Amp, sign_up
from tests.equal import normalised_json
from tests.model_server.process import ModelServerProcess
from tests.server import StudioServer, free_port
from tests.warm_process import WarmProcess

SECONDS = 60


@dataclass(slots=True)
class Stage:
    """What a run starts from: a data folder with an agent, a connection and a person, and maybe a supervisor."""

    seed: Path
    token: str
    model: ModelServerProcess
    ledger: Ledger
    supervisor_token: str = ""

    @property
    def environment(self) -> dict[str, str]:
        return {"STUDIO_OUTBOUND_ALLOW": f"{self.ledger.host},{self.model.url.split('/')[2]}"}

    def folder(self, path: Path) -> Path:
        """A fresh copy of the seed."""
        shutil.copytree(self.seed, path)
        return path


@contextmanager
def set_stage(folder: Path, *, idempotent: bool) -> Iterator[Stage]:
    with ModelServerProcess() as model, Ledger() as ledger:
        folder.mkdir()
        stage = Stage(folder, "", model, ledger)
        server = StudioServer(folder, stage.environment)
        server.start(first_run=True)
        amp = sign_up(server, "maya")
        server.manage("models", "add", "scripted", "--model", "openai/scripted", "--address", model.url, "--no-key")
        Story(ledger).publish(amp, idempotent=idempotent)
        server.stop()
        stage.token = amp.token
        yield stage


class Run:
    """One turn over a copy of the seed, with a kill somewhere in it."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self.stage = stage
        self.server = StudioServer(stage.folder(folder), stage.environment)
        self.amp = Amp(self.server.url, stage.token)
        self.process: WarmProcess | None = None
        stage.ledger.begin()
        self.session = ""
        self.has_followed_up = False
        self.asked: list[str] = []
        self.given: dict[str, str] = {}
        self.happened: dict[str, str] = {}
        self.seen_before = len(stage.model.bodies)

    def start_killable(self, kill_at: str) -> None:
        """The server that dies by itself; healthy when this returns, unless it died already."""
        self.server.environment[KILL_VARIABLE] = kill_at
        self.process = self.server.spawn("-m", "tests.acceptance.killable", str(self.server.port))
        self.server.process = self.process
        self.server.wait_until_healthy()

    def play(self, kill_at: str) -> None:
        """Start, talk, die, start again, talk on, and come to rest.

        A question about an unknown outcome is answered with "it happened", and the result in `happened`.
        """
        self.start_killable(kill_at)
        self._try(self._talk)
        self.died = self._has_died()
        if self.died:
            self.revive()
            self._talk()

    def revive(self) -> None:
        """A new server after the kill, on another port as a supervisor might choose."""
        self.server.kill()
        self.server.port = free_port()
        self.amp.url = self.server.url
        self.server.start()

    def _talk(self) -> None:
        """A message, and another while tools run; what the dead server did not confirm is sent again, same key."""
        if not self.session:
            _, answer = self.amp.call("POST", "/sessions", {"agents": ["worker"]}, Idempotency_Key="session")
            self.session = answer["id"]
        self._say("Go through the list.", key="go")
        while not self.has_followed_up:
            assert self.stage.ledger.is_reading.wait(0.1) or not self._is_gone(), "the server died"
            self._answer_questions()
            if self.stage.ledger.is_reading.is_set():
                self._say("And be quick.", key="quick")
                self.has_followed_up = True
        self.stage.ledger.let_go()
        self._rest()

    def _say(self, text: str, key: str) -> None:
        body = {"type": "user.input", "content": text}
        status, answer = self.amp.call("POST", f"/sessions/{self.session}/events", body, Idempotency_Key=key)
        assert status == 202, answer

    def _is_gone(self) -> bool:
        return self.server.process is None or self.server.process.poll() is not None

    def _rest(self) -> None:
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            rollout = self.rollout
            if rollout["lifecycle"] in ("waiting", "failed") and not rollout["pending"]:
                if self._answer_questions():
                    continue
                if self.said("user.input") >= 2:
                    return
            time.sleep(0.03)
        raise AssertionError(f"not at rest: {self.rollout}\n{self.server.log}")

    def _answer_questions(self) -> int:
        _, found = self.amp.call("GET", "/approvals")
        for question in found["approvals"]:
            call_id = question["call_id"]
            body = {"verdict": "happened", "result": self.happened[call_id]}
            status, answer = self.amp.call("POST", f"/approvals/{question['id']}", body)
            assert status == 200, answer
            self.asked.append(call_id)
        return len(found["approvals"])

    def _try(self, act: Any) -> None:
        """The server may die in the middle: that is the point."""
        try:
            act()
        except (OSError, HTTPException, LookupError, TypeError, AssertionError) as error:
            assert self.process is not None
            if not self._has_died():
                raise AssertionError(f"the server lives, and yet: {error}\n{self.server.log}") from error

    def _has_died(self) -> bool:
        assert self.process is not None
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return False
        return True

    @property
    def rollout(self) -> dict[str, Any]:
        _, session = self.amp.call("GET", f"/sessions/{self.session}")
        return dict(session["rollouts"][0])

    def said(self, type_: str) -> int:
        return sum(event["type"] == type_ for event in self.events)

    @property
    def events(self) -> list[dict[str, Any]]:
        return self.amp.events(self.session)

    @property
    def prompts(self) -> dict[int, list[dict[str, Any]]]:
        """The messages that the model server saw, by the number of answers in them; the last of each."""
        bodies = self.stage.model.bodies[self.seen_before :]
        return {sum(m["role"] == "assistant" for m in body["messages"]): body["messages"] for body in bodies}

    @property
    def results(self) -> dict[str, str]:
        """What each call gave, by its id."""
        return {e["payload"]["call_id"]: e["payload"]["content"] for e in self.events if e["type"] == "tool.result"}

    def remember(self) -> None:
        """Keep what came of it, stop, and let the independent checker read the database."""
        self.facts = normalised_json(self.events, without=("approval.request", "approval.decision"))
        self.acts = list(self.stage.ledger.acts)
        self.shown = self.prompts
        self.server.stop()
        check_database(self.server.data)
