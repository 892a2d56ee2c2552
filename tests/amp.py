"""A client of a running studio: AMP over HTTP, with a Bearer token."""

import json
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from tests.server import StudioServer

AGENT = "name: {name}\nmodel: {model}\nsystem_prompt: You are helpful.\n"


@dataclass(slots=True)
class Amp:
    """One person's way in."""

    url: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and answer. `body`: bytes as they are, anything else as JSON."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        sent = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(f"{self.url}/amp/v1{path}", data=data, method=method, headers=sent)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status, _read(response.read())
        except urllib.error.HTTPError as error:
            return error.code, _read(error.read())

    def publish(self, name: str, model: str = "playbook/echo") -> None:
        status, answer = self.call("PUT", f"/agents/{name}", AGENT.format(name=name, model=model).encode())
        assert status == 201, answer
        status, answer = self.call("POST", f"/agents/{name}/publish", {})
        assert status == 200, answer

    def start(self, agent: str, text: str = "") -> dict[str, Any]:
        """A new session."""
        status, session = self.call("POST", "/sessions", {"agents": [agent], "input": text})
        assert status == 201, session
        return dict(session)

    def say(self, session: str, text: str, **more: Any) -> dict[str, Any]:
        body = {"type": "user.input", "content": text, **more}
        status, accepted = self.call("POST", f"/sessions/{session}/events", body)
        assert status == 202, accepted
        return dict(accepted)

    def events(self, session: str) -> list[dict[str, Any]]:
        """All recorded events."""
        found: list[dict[str, Any]] = []
        after: int | None = 0
        while after is not None:
            _, page = self.call("GET", f"/sessions/{session}/events?after={after}")
            found += page["events"]
            after = page["next"]
        return found


def sign_up(server: StudioServer, name: str, role: str = "author") -> Amp:
    """A new person of the running studio, with a token."""
    server.manage("users", "add", name, "--role", role)
    printed = server.manage("token", name, "--name", "test")
    found = re.search(r"st_\S+", printed)
    assert found is not None, printed
    return Amp(server.url, found.group())


def _read(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return body.decode()
