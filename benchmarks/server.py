"""The studio in a process of its own, with the benchmarks' models, and a person who may speak to it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.amp import Amp, sign_up
from tests.server import ROOT, StudioServer

AGENT = """\
name: bench
model: playbook/echo
system_prompt: You are measured.
tools:
  - name: http_request
    idempotent: true
limits:
  max_steps: 100
  max_tool_calls: 100
"""


class Served(StudioServer):
    """`python -m benchmarks.served` in the place of `manage.py serve`."""

    def start_bench(self) -> None:
        """Healthy when this returns."""
        command = [sys.executable, "-m", "benchmarks.served", str(self.port)]
        with (self.data / "server.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.env, stdout=log, stderr=log)
        self.wait_until_healthy()

    @property
    def pid(self) -> int:
        assert self.process is not None, "it was started"
        return self.process.pid

    def note(self, name: str) -> list[str]:
        """The lines of a file that `benchmarks.served` writes."""
        path = self.data / name
        return path.read_text().splitlines() if path.exists() else []


@contextmanager
def served(*allowed_hosts: str) -> Iterator[tuple[Served, Amp]]:
    """A running server, and a person with the published agent."""
    with TemporaryDirectory(prefix="studio-bench-") as folder:
        server = Served(Path(folder), {"STUDIO_OUTBOUND_ALLOW": ",".join(allowed_hosts)})
        server.manage("migrate", "--verbosity", "0")
        server.start_bench()
        try:
            amp = sign_up(server, "maya")
            for method, path, body in (("PUT", "", AGENT.encode()), ("POST", "/publish", {})):
                status, answer = amp.call(method, f"/agents/bench{path}", body)
                assert status in (200, 201), answer
            yield server, amp
        finally:
            server.kill()
