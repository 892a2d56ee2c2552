"""A real server in a process of its own: started, killed and started again."""

import os
import signal
import socket
import subprocess
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from tests.warm_process import WarmProcess, run_warm

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 40


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(slots=True)
class StudioServer:
    """`manage.py serve` over a data folder. `environment` is added to that of the tests."""

    data: Path
    environment: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | WarmProcess | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def env(self) -> dict[str, str]:
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("STUDIO_", "DJANGO_"))}
        own = {"STUDIO_DATA": str(self.data), "DJANGO_SETTINGS_MODULE": "studio.settings", "PYTHONUNBUFFERED": "1"}
        return inherited | own | self.environment

    def manage(self, *arguments: str, check: bool = True) -> str:
        """Run a management command over the same data folder; what it prints."""
        done = self.run(*arguments)
        if check and done.returncode:
            raise AssertionError(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a management command, however it ends."""
        return run_warm(["manage.py", *arguments], self.env)

    def start(self, *, first_run: bool = False) -> "StudioServer":
        arguments = ["serve", "--port", str(self.port), *(["--first-run"] if first_run else [])]
        self.process = self.spawn("manage.py", *arguments)
        self.wait_until_healthy()
        return self

    def spawn(self, *run: str) -> WarmProcess:
        """A process that writes to the server's log; `run` as `WarmProcess` wants it."""
        log = self.data / "server.log"
        return WarmProcess(run, self.env, log, log)

    @property
    def log(self) -> str:
        return (self.data / "server.log").read_text(errors="replace")

    def kill(self) -> None:
        """kill -9, as a power cut would."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        """SIGTERM, and wait for the end."""
        self._signal(signal.SIGTERM)

    def freeze(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(timeout=40)
        self.process = None

    def wait_until_healthy(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            assert self.process is not None
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended with {self.process.returncode}:\n{self.log}")
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=2):
                    return
            except OSError:
                time.sleep(0.02)
        raise AssertionError(f"the server was not healthy within {START_SECONDS} s:\n{self.log}")
