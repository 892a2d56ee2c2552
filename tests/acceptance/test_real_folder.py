"""Real input: an agent answers about a person's own folder, over HTTP, through the real server and each client."""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.amp import Amp, sign_up
from tests.model_server import ModelServerProcess, call, calls, say, when
from tests.server import ROOT, StudioServer

AGENT = """\
name: {name}
model: {name}
system_prompt: You answer questions about the files in the folder of the person.
model_settings: {{max_tokens: 60, temperature: 0}}
tools: [files]
limits: {{max_steps: 4}}
"""
FILES = {
    "opening hours.txt": "Monday to Friday: 9 to 17\nSaturday: 10 to 14\n",
    "메모.md": "# 할 일\n- 우유 사기 🥛\n",
    "orders/2026-11.csv": "number,customer,total\n1001,Maya,12.50\n",
}
SECONDS = 120
pytestmark = pytest.mark.acceptance


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServerProcess]:
    with ModelServerProcess() as server:
        yield server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, model: ModelServerProcess) -> Iterator[StudioServer]:
    """A studio over a person's folder, with one connection to the scripted server."""
    folder = tmp_path_factory.mktemp("folder")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    server = StudioServer(tmp_path_factory.mktemp("data"), {"STUDIO_WORKSPACE": str(folder)})
    server.start(first_run=True)
    server.manage("models", "add", "clerk", "--model", "openai/scripted", "--address", model.url, "--no-key")
    yield server
    server.stop()
    server.manage("verify")


@pytest.fixture(scope="module")
def maya(server: StudioServer) -> Amp:
    amp = sign_up(server, "maya")
    publish(amp, "clerk")
    return amp


def test_a_folder_is_read_and_answered_about(model: ModelServerProcess, maya: Amp) -> None:
    model.script(
        rules=(
            when(calls(("list_directory", {}), ("read_file", {"path": "메모.md"})), answers=0),
            when(call("read_file", {"path": "opening hours.txt"}), answers=1),
            when(say("우유 🥛, and Saturday 10 to 14."), answers=2),
        )
    )
    session = maya.start("clerk", "What is on my list, and when is Saturday?")["id"]

    at_rest(maya, session)

    shown = json.dumps(model.bodies[-1]["messages"], ensure_ascii=False)
    answers = [event["payload"]["content"] for event in maya.events(session) if event["type"] == "agent.output"]
    assert answers == ["우유 🥛, and Saturday 10 to 14."]
    assert all(words in shown for words in ("orders", "우유 사기 🥛", "Saturday: 10 to 14"))


def test_stop_ends_the_generation_in_the_model_server(model: ModelServerProcess, maya: Amp) -> None:
    model.script(say("a very long story about a lighthouse", hold_after=3), otherwise=say("I stopped."))
    session = maya.start("clerk", "Tell me a story.")["id"]
    model.wait("holding")

    maya.call("POST", f"/sessions/{session}/events", {"type": "user.interrupt"})

    model.wait("closed_early")
    at_rest(maya, session)
    outputs = [event["payload"] for event in maya.events(session) if event["type"] == "agent.output"]
    assert [(one["content"].strip(), one["interrupted"]) for one in outputs] == [
        ("a very long", True),
        ("I stopped.", False),
    ]
    assert model.open_generations == 0


@pytest.mark.local_model
def test_a_real_model_answers_about_the_folder_and_stop_frees_its_slot(server: StudioServer, maya: Amp) -> None:
    with local_model() as address:
        through_litellm = ["--model", "openai/smollm2", "--address", address, "--client", "litellm", "--no-key"]
        server.manage("models", "add", "smollm", *through_litellm)
        publish(maya, "smollm")

        session = maya.start("smollm", "Which files are in my folder?")["id"]
        at_rest(maya, session)
        events = maya.events(session)
        maya.call("POST", f"/sessions/{session}/events", {"type": "user.input", "content": "Tell me a long story."})
        wait_for(lambda: busy_slots(address) == 1)
        maya.call("POST", f"/sessions/{session}/events", {"type": "user.interrupt", "respond": False})
        wait_for(lambda: busy_slots(address) == 0)

    completed = [event for event in events if event["type"] == "step.completed"]
    assert completed
    assert all(event["payload"]["tokens_out"] > 0 for event in completed)
    assert "rollout.failed" not in [event["type"] for event in events]


class local_model:
    """`manage.py localmodel`, and where it listens."""

    def __enter__(self) -> str:
        command = [sys.executable, "manage.py", "localmodel", "--port", "0"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        lines = [self._process.stdout.readline(), self._process.stdout.readline()]
        assert "--address http" in lines[1], lines
        return lines[1].split()[-1]

    def __exit__(self, *_: Any) -> None:
        self._process.terminate()
        self._process.communicate(timeout=30)


def publish(amp: Amp, name: str) -> None:
    status, answer = amp.call("PUT", f"/agents/{name}", AGENT.format(name=name).encode())
    assert status in (200, 201), answer
    status, answer = amp.call("POST", f"/agents/{name}/publish", {})
    assert status == 200, answer


def at_rest(amp: Amp, session: str) -> None:
    """Waits until the agent waits for input with nothing left to answer."""
    wait_for(lambda: _rests(amp, session))


def _rests(amp: Amp, session: str) -> bool:
    _, told = amp.call("GET", f"/sessions/{session}")
    rollout = told["rollouts"][0]
    assert rollout["lifecycle"] != "failed", amp.events(session)[-1]
    answered = any(event["type"] in ("step.completed", "step.aborted") for event in amp.events(session))
    return rollout["lifecycle"] == "waiting" and not rollout.get("pending") and answered


def busy_slots(address: str) -> int:
    """How many answers llama.cpp generates now."""
    with urllib.request.urlopen(address.removesuffix("/v1") + "/slots", timeout=10) as answer:
        return sum(slot["is_processing"] for slot in json.load(answer))


def wait_for(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it did not come to pass in time"
        time.sleep(0.05)
