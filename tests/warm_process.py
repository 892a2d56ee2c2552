"""Processes of the studio that start within a moment; see `warm_parent.py`."""

import atexit
import json
import os
import select
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.warm_parent import ROOT


class Parent:
    """The one process of which this test process has its studios forked."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.warm_parent"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self._one_at_a_time = threading.Lock()
        atexit.register(self._end)

    def ask(self, question: dict[str, Any]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._one_at_a_time:
            self._process.stdin.write(json.dumps(question) + "\n")
            return int(self._process.stdout.readline())

    def _end(self) -> None:
        self._process.communicate()


parent = cache(Parent)


@dataclass(slots=True)
class WarmProcess:
    """What a `Popen` of `[sys.executable, *run]` would be: `run` begins with `manage.py` or with `-m` and a module."""

    run: Sequence[str]
    env: Mapping[str, str]
    stdout: Path
    stderr: Path
    returncode: int | None = None
    pid: int = field(init=False)
    _handle: int = field(init=False)

    def __post_init__(self) -> None:
        asked = {"run": [*self.run], "env": {**self.env}, "stdout": str(self.stdout), "stderr": str(self.stderr)}
        self.pid = parent().ask(asked)
        self._handle = os.pidfd_open(self.pid)

    def poll(self) -> int | None:
        """The exit code, if it has ended; that of a signal is negative."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code. Raises subprocess.TimeoutExpired after `timeout` seconds."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired([*self.run], timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._handle], [], [], timeout)[0]:
            os.close(self._handle)
            self.returncode = parent().ask({"reap": self.pid})
        return self.returncode


def run_warm(run: Sequence[str], env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """What `subprocess.run` would give, when it has ended."""
    with tempfile.TemporaryDirectory(prefix="warm-") as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        code = WarmProcess(run, env, out, err).wait()
        return subprocess.CompletedProcess([*run], code, out.read_text(), err.read_text())
