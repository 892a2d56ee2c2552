"""The model server in a process of its own, for tests that kill ours."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.model_server.reply import Reply
from tests.model_server.script import Rule, Script

REPOSITORY = Path(__file__).parents[2]


class ModelServerProcess:
    """`with ModelServerProcess() as server`: the same server, spoken to over HTTP; every call here blocks."""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tests.model_server", "--port", "0"]
        self._process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url.startswith("http"), "the model server did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def script(self, *queue: Reply, rules: tuple[Rule, ...] = (), otherwise: Reply | None = None) -> None:
        """What to answer from now on; see `Script`."""
        script = Script(queue=list(queue), rules=list(rules), otherwise=otherwise or Reply(text="All right."))
        self._ask("/script", script.model_dump(mode="json"))

    def release(self) -> None:
        """Let everything that holds go on, until there is a new script."""
        self._ask("/release", {})

    def wait(self, what: str, count: int = 1, timeout_seconds: float = 10) -> None:
        """Wait for so many `requests`, `holding`, `closed_early` or `done`; TimeoutError if they do not come."""
        try:
            self._ask("/wait", {"for": what, "count": count, "timeout_seconds": timeout_seconds})
        except urllib.error.HTTPError as error:
            raise TimeoutError(f"waited for {count} {what}: {error.read().decode()}") from error

    @property
    def requests(self) -> list[dict[str, Any]]:
        """`path`, `headers` and `body` of every request, in order."""
        return list(self._ask("/requests"))

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies alone."""
        return [request["body"] for request in self.requests]

    @property
    def generations(self) -> list[dict[str, Any]]:
        """What became of each answer; see `Generation`."""
        return list(self._ask("/connections")["generations"])

    @property
    def open_generations(self) -> int:
        """Answers that are on their way now."""
        return int(self._ask("/connections")["open"])

    def _ask(self, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url.removesuffix("/v1") + path, data=data, headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())
