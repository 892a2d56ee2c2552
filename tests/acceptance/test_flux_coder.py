"""An agent file of another product runs as it is: the file tools that `flux-coder.yaml` grants work in its folder."""

import json
import time
from collections.abc import Iterator

import pytest

from tests.amp import Amp, sign_up
from tests.fixtures import AGENTS
from tests.model_server.process import ModelServerProcess
from tests.model_server.reply import calls, say
from tests.model_server.script import when
from tests.server import StudioServer

CODER = AGENTS / "flux-coder.yaml"
MODEL = "anthropic/claude-sonnet-4-20250514"


@pytest.fixture
def model() -> Iterator[ModelServerProcess]:
    with ModelServerProcess() as model:
        yield model


@pytest.fixture
def server(tmp_path, model) -> Iterator[StudioServer]:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "greeting.py").write_text('print("helo")\n')
    data = tmp_path / "data"
    data.mkdir()
    server = StudioServer(data, {"STUDIO_WORKSPACE": str(folder), "STUDIO_OUTBOUND_ALLOW": model.url.split("/")[2]})
    server.manage("migrate")
    added = ("add", "claude", "--model", MODEL, "--address", model.url, "--client", "native", "--no-key")
    server.manage("models", *added)
    server.start()
    yield server
    server.stop()
    server.manage("verify")


def test_its_file_tools_read_change_and_list_the_folder(server, model, tmp_path):
    amp = sign_up(server, "maya")
    server.manage("agents", "apply", str(CODER), "--publish", "--note", "as it is")
    model.script(
        rules=(
            when(calls(("read_file", '{"path": "greeting.py"}'), ("search_text", '{"query": "helo"}')), answers=0),
            when(calls(("edit_file", json.dumps({"path": "greeting.py", "old": "helo", "new": "hello"}))), answers=1),
            when(calls(("list_directory", "{}")), answers=2),
            when(say("Mended."), answers=3),
        )
    )

    session = amp.start("coder", "Mend the greeting.")["id"]
    results = results_at_rest(amp, session)

    assert (tmp_path / "workspace" / "greeting.py").read_text() == 'print("hello")\n'
    assert [result["status"] for result in results if result.get("status", "ok") != "ok"] == []
    assert len(results) == 4


def results_at_rest(amp: Amp, session: str) -> list[dict]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        events = amp.events(session)
        if any(event["type"] == "agent.output" for event in events):
            return [event["payload"] for event in events if event["type"] == "tool.result"]
        time.sleep(0.1)
    raise AssertionError(f"no answer: {[event['type'] for event in events]}")
