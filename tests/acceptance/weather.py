"""One studio, one model server and one web server for tools, on which all kinds of bad weather are let loose."""

import json
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.acceptance.browsing import Browsing
from tests.amp import Amp
from tests.model_server import ModelServerProcess
from tests.server import StudioServer

CLIENTS = ("native", "litellm")
AGENT = "name: {name}\nmodel: {model}\nsystem_prompt: You are helpful.\n{more}"
SECONDS = 30
FAULTS = re.compile(r"Traceback|Internal Server Error|\" 5\d\d |ERROR|CRITICAL")


@dataclass(frozen=True, slots=True)
class Told:
    """What became of a session: its one rollout, and all events."""

    session: str
    rollout: dict[str, Any]
    events: list[dict[str, Any]]

    def payloads(self, type_: str) -> list[dict[str, Any]]:
        return [event["payload"] for event in self.events if event["type"] == type_]

    @property
    def state(self) -> str:
        """`waiting input`, `waiting model`, `failed` …"""
        return " ".join(filter(None, (self.rollout["lifecycle"], self.rollout["waiting_for"])))

    @property
    def answers(self) -> list[str]:
        return [payload["content"] for payload in self.payloads("agent.output")]

    @property
    def results(self) -> list[str]:
        return [payload["content"] for payload in self.payloads("tool.result")]

    @property
    def errors(self) -> list[str]:
        """What was said of attempts that failed."""
        return [payload["error"] for payload in self.payloads("step.aborted")]


@dataclass(slots=True)
class Weather:
    """`site` gives tools what `pages` says, by path."""

    server: StudioServer
    model: ModelServerProcess
    amp: Amp
    browsing: Browsing
    site: str
    pages: dict[str, tuple[str, bytes]]
    _read_of_log: int = 0
    _connected: set[str] = field(default_factory=set)
    _published: set[str] = field(default_factory=set)

    def agent(self, name: str, model: str = "native", more: str = "") -> str:
        """Publishes it, once, with its connection; its name."""
        if "/" not in model:
            self.connect(model)
        if name not in self._published:
            self.write(name, AGENT.format(name=name, model=model, more=more))
            status, answer = self.amp.call("POST", f"/agents/{name}/publish", {})
            assert status == 200, answer
            self._published.add(name)
        return name

    def connect(self, name: str, address: str = "") -> None:
        """A model connection, entered by an administrator, once; its client is native unless its name is the other."""
        if name in self._connected:
            return
        client = name if name in CLIENTS else "native"
        fields = {"name": name, "litellm_model": "openai/scripted", "address": address or self.model.url}
        status, page = self.browsing.post("/settings/models/new", fields | {"client": client})
        assert status == 200, page
        self._connected.add(name)

    def disconnect(self, name: str) -> None:
        _, page = self.browsing.get("/settings/models")
        row = find(rf'(?s)c-list__title">{name}<.*?/settings/models/[\w-]+(?=")', page)
        status, page = self.browsing.post(f"/settings/models/{row.rpartition('/')[2]}/remove", {})
        assert status == 200, page
        self._connected.remove(name)

    def database(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        """Behind the studio's back: what only an older or a broken installation would have."""
        with closing(sqlite3.connect(next(self.server.data.glob("*.sqlite3")))) as database:
            rows = database.execute(statement, values).fetchall()
            database.commit()
        return rows

    def write(self, name: str, text: str) -> None:
        status, answer = self.amp.call("PUT", f"/agents/{name}", text.encode())
        assert status in (200, 201), answer

    def say(self, agent: str, text: str = "Go.", until: str = "") -> Told:
        """A new session with this message, when it has come to rest, or to the state `until`."""
        return self.rest(self.amp.start(agent, text)["id"], until)

    def rest(self, session: str, until: str = "") -> Told:
        wait_for(lambda: self._has_come(session, until), lambda: str(self.told(session)))
        return self.told(session)

    def told(self, session: str) -> Told:
        events = self.amp.events(session)
        return Told(session, self.amp.call("GET", f"/sessions/{session}")[1]["rollouts"][-1], events)

    def page(self, session: str) -> str:
        """The playground's page of it, as its owner's browser gets it."""
        status, html = self.browsing.get(f"/chat/{session}")
        assert status == 200, html
        return html

    def new_faults(self) -> list[str]:
        """Lines of the server's log, since this was last asked, that tell of a fault of its own."""
        log = self.server.log
        new, self._read_of_log = log[self._read_of_log :], len(log)
        return [line for line in new.splitlines() if FAULTS.search(line)]

    def _has_come(self, session: str, until: str) -> bool:
        _, answer = self.amp.call("GET", f"/sessions/{session}")
        rollout = answer["rollouts"][-1]
        state = " ".join(filter(None, (rollout["lifecycle"], rollout["waiting_for"])))
        if until:
            return state == until
        return state not in ("queued", "running", "waiting model") and not rollout["pending"]


@contextmanager
def weather(folder: Path) -> Iterator[Weather]:
    """All of it, over a fresh data folder; when it is over, the independent checker reads the database."""
    with ModelServerProcess() as model, site_of({}) as (site, pages):
        allowed = ",".join(url.split("/")[2] for url in (site, model.url))
        folder.mkdir(exist_ok=True)
        server = StudioServer(folder, {"STUDIO_OUTBOUND_ALLOW": allowed})
        server.start(first_run=True)
        browsing = Browsing(server.url)
        browsing.sign_in(find(r"http://\S+/sign-in/link/\S+", server.log))
        _, page = browsing.post("/settings/tokens/new", {"name": "test", "scopes": "read write"})
        amp = Amp(server.url, find(r"st_[\w-]+", page))
        found = Weather(server, model, amp, browsing, site, pages)
        try:
            yield found
        finally:
            server.stop()
        assert found.new_faults() == []
        assert server.manage("verify") == "Everything holds.\n"


def find(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None, text
    return found.group()


@contextmanager
def site_of(pages: dict[str, tuple[str, bytes]]) -> Iterator[tuple[str, dict[str, tuple[str, bytes]]]]:
    """A web server that answers each path with its content type and bytes; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, body = pages[self.path]
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet: pytest shows what matters."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", pages
    server.shutdown()
    server.server_close()


def as_text(body: Any) -> str:
    """JSON with its characters as they are, to look for words in."""
    return json.dumps(body, ensure_ascii=False)


def is_sentence(text: str) -> bool:
    """Whether people can read it: it begins and ends as a sentence does, or ends with what a provider says."""
    return bool(re.fullmatch(r"[\w$`].*([.?]|\w says: .+)", text, re.DOTALL)) and "Traceback" not in text


def wait_for(is_so: Callable[[], bool], told: Callable[[], str]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f"it did not come to pass in time: {told()}"
        time.sleep(0.03)
