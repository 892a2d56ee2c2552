"""One studio with two people and three agents, set up once and copied for each run; and the run."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.acceptance.checking import check_database
from tests.acceptance.ledger import Ledger
from tests.acceptance.people_story import FILE_IN_THE_WAY, OUTPUTS, PeopleStory
from tests.acceptance.stage import SECONDS, Run, Stage
from tests.amp import Amp, sign_up
from tests.equal import Fact, normalised_json
from tests.model_server.process import ModelServerProcess
from tests.server import StudioServer

AGENTS = ("desk", "finder", "scout")
ONCE = ("http_request",)
_ATTEMPTS = re.compile(r" \(\d+ attempts\)")
_OF_ATTEMPTS = {"step.completed": ("tokens_in",), "tool.started": ("why",)}  # both tell of attempts before

Envelope = dict[str, Any]


@contextmanager
def set_people_stage(folder: Path) -> Iterator[Stage]:
    """Maya has published three agents; Priya supervises."""
    with ModelServerProcess() as model, Ledger() as ledger:
        folder.mkdir()
        stage = Stage(folder, "", model, ledger)
        server = StudioServer(folder, stage.environment)
        server.start(first_run=True)
        maya, priya = sign_up(server, "maya"), sign_up(server, "priya", "supervisor")
        server.manage("models", "add", "scripted", "--model", "openai/scripted", "--address", model.url, "--no-key")
        PeopleStory(ledger).publish(maya)
        server.stop()
        (folder / "workspace").mkdir(exist_ok=True)
        (folder / "workspace" / FILE_IN_THE_WAY).write_text("in the way")
        stage.token, stage.supervisor_token = maya.token, priya.token
        yield stage


class PeopleRun(Run):
    """The story over a copy of the seed, with a kill somewhere in it.

    What people and the world do next goes by what is recorded, so that a kill changes nothing of it. About a write
    whose outcome is not known Priya looks into the ledger: what is not there is run again, what is there happened.
    """

    def __init__(self, stage: Stage, folder: Path, given: dict[str, dict[str, str]]) -> None:
        super().__init__(stage, folder)
        self.priya = Amp(self.server.url, stage.supervisor_token)
        self.whole = given
        self.decided: list[str] = []
        self.asked_about: list[tuple[str, str]] = []

    def revive(self) -> None:
        super().revive()
        self.priya.url = self.server.url

    def _talk(self) -> None:
        if not self.session:
            _, answer = self.amp.call("POST", "/sessions", {"agents": ["desk"]}, Idempotency_Key="session")
            self.session = answer["id"]
        self._say("Go.", key="go")
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            assert not self._is_gone(), "the server died"
            if self._go_on(self.recorded):
                return
            time.sleep(0.03)
        raise AssertionError(f"not at its end: {self.rollouts}\n{self.server.log}")

    def _go_on(self, recorded: dict[str, list[Envelope]]) -> bool:
        """What is to be done at this point of the story; whether it has come to its end."""
        self._answer_questions()
        desk, said = recorded["desk"], texts(recorded["desk"])
        if self._timer_is_due(recorded["finder"]):
            self.stage.ledger.let_go("held-finder")
        if OUTPUTS[0] in said:
            self.stage.ledger.let_go("held-scout")
        if any(event["type"] == "tool.result" and event["payload"]["call_id"] == "3.1" for event in desk):
            self._decide("policy", args={"method": "POST", "url": f"{self.stage.ledger.url}/act/paid/75"})
        if OUTPUTS[1] in said:
            self.stage.ledger.let_go("held-behind")
        self._decide("transition")
        if OUTPUTS[2] not in said:
            return False
        self._cancel()
        return all(self._is_undone(recorded[agent]) for agent in AGENTS)

    def _timer_is_due(self, finder: list[Envelope]) -> bool:
        types = [event["type"] for event in finder]
        waits = any(one["agent"] == "finder" and one["pending"] for one in self.rollouts)
        return "timer.trigger" in types or ("timer.set" in types and waits)

    def _decide(self, why: str, **edited: Any) -> None:
        """Priya approves what is asked for that reason, if it is; twice, as people click."""
        for question in self._open(why):
            body = {"verdict": "approve", "args_sha256": question["args_sha256"], "reason": "a good customer", **edited}
            for _ in range(2):
                status, answer = self.priya.call("POST", f"/approvals/{question['id']}", body)
                assert status == 200, answer
            self.decided.append(question["id"])

    def _open(self, why: str) -> list[Envelope]:
        _, found = self.priya.call("GET", "/approvals")
        return [question for question in found["approvals"] if question["why"] == why]

    def _answer_questions(self) -> int:
        questions = self._open("unknown_outcome")
        for question in questions:
            agent, call_id = question["agent"], question["call_id"]
            acted = question["args"]["url"].removeprefix(self.stage.ledger.url)
            did = acted in self.stage.ledger.acts
            answer = {"verdict": "happened", "result": self.whole[agent][call_id]} if did else {"verdict": "run_again"}
            status, problem = self.priya.call("POST", f"/approvals/{question['id']}", answer)
            assert status == 200, problem
            self.asked_about.append((agent, call_id))
        return len(questions)

    def _cancel(self) -> None:
        desk = next(one["id"] for one in self.rollouts if one["agent"] == "desk")
        body = {"action": "cancel", "reason": "She keeps it."}
        status, answer = self.amp.call("POST", f"/rollouts/{desk}/control", body, Idempotency_Key="cancel")
        assert status == 200, answer

    def _is_undone(self, events: list[Envelope]) -> bool:
        """Whether it is cancelled, and each write that took effect has been undone."""
        acted = {
            event["payload"]["call_id"]
            for event in events
            if event["type"] == "tool.request" and event["payload"]["tool"] == "http_request"
        }
        undone = [
            event for event in events if event["payload"].get("role") == "rollback" and "content" in event["payload"]
        ]
        is_cancelled = any(event["type"] == "rollout.cancelled" for event in events)
        return is_cancelled and len(undone) == len(acted)

    @property
    def prompts_of_agents(self) -> dict[tuple[str, int], str]:
        """The messages that the model server saw, by the system prompt and the number of answers in them."""
        shown = {}
        for body in self.stage.model.bodies[self.seen_before :]:
            messages = body["messages"]
            place = (messages[0]["content"], sum(message["role"] == "assistant" for message in messages))
            shown[place] = _ATTEMPTS.sub("", json.dumps(messages[1:], indent=1, ensure_ascii=False))
        return shown

    @property
    def rollouts(self) -> list[dict[str, Any]]:
        _, session = self.priya.call("GET", f"/sessions/{self.session}")
        return list(session["rollouts"])

    @property
    def recorded(self) -> dict[str, list[Envelope]]:
        """The events of each agent, the ids of rollouts replaced by the agents' names."""
        text = json.dumps(self.priya.events(self.session))
        for one in self.rollouts:
            text = text.replace(one["id"], one["agent"])
        events: list[Envelope] = json.loads(text)
        return {agent: [event for event in events if event["agent"] == agent] for agent in AGENTS}

    def remember(self) -> None:
        """Keep what came of it, stop, and let the independent checker read the database."""
        recorded = self.recorded
        self.told = {agent: told(events) for agent, events in recorded.items()}
        self.given_by = {
            agent: {e["payload"]["call_id"]: e["payload"]["content"] for e in events if is_result_of_call(e)}
            for agent, events in recorded.items()
        }
        self.shown_to = self.prompts_of_agents
        self.acts = list(self.stage.ledger.acts)
        self.undone = list(self.stage.ledger.undone)
        self.server.stop()
        check_database(self.server.data, ONCE)


def texts(events: list[Envelope]) -> list[str]:
    """What an agent said to people."""
    return [event["payload"]["content"] for event in events if event["type"] == "agent.output"]


def is_result_of_call(event: Envelope) -> bool:
    return event["type"] == "tool.result" and event["payload"].get("role") != "rollback"


def told(events: list[Envelope]) -> list[Fact]:
    """A trajectory as equal ones share it: without the questions that a kill alone leads to, and without attempts."""
    kept = json.loads(_ATTEMPTS.sub("", json.dumps([event for event in events if not _is_of_a_kill(event)])))
    for event in kept:
        for name in _OF_ATTEMPTS.get(event["type"], ()):
            event["payload"].pop(name, None)
    return normalised_json(kept)


def _is_of_a_kill(event: Envelope) -> bool:
    payload = event["payload"]
    return payload.get("why") == "unknown_outcome" or payload.get("verdict") in ("happened", "run_again")
