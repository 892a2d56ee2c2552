"""Looking for a regular expression where a bad one can be stopped: in a process of its own."""

import json
import os
import select
import struct
import subprocess
import sys
from pathlib import Path
from typing import Self

from runtime.ports import ToolFailed
from runtime.tools.workspace.blocking import Halt

_PROGRAM = Path(__file__).with_name("regex_worker.py")
_LOOK_SECONDS = 0.05
_LONGEST_PATTERN = 500


class RegexProcess:
    """One pattern, asked about one text after another. Blocks; for work in a thread."""

    def __init__(self, pattern: str, *, ignore_case: bool, halt: Halt) -> None:
        """Raises ToolFailed for a pattern that is none."""
        if len(pattern) > _LONGEST_PATTERN:
            raise ToolFailed(f"the pattern is longer than {_LONGEST_PATTERN} characters", retryable=False)
        self._halt, self._read = halt, b""
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            bufsize=0,
        )
        try:
            wrong = self._ask(json.dumps({"pattern": pattern, "ignore_case": ignore_case}).encode())
            if wrong is not None:
                raise ToolFailed(f"{pattern!r} is not a regular expression: {wrong}", retryable=False)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, whatever it is at."""
        self._process.kill()
        self._process.communicate()

    def matching_lines(self, text: str) -> list[int]:
        """The numbers, from 1, of the lines that match. Raises ToolFailed when the pattern takes too long."""
        found = self._ask(text.encode("utf-8", "replace"))
        assert isinstance(found, list)
        return found

    def _ask(self, frame: bytes) -> object:
        assert self._process.stdin is not None
        try:
            self._send(struct.pack(">I", len(frame)) + frame)
        except BrokenPipeError:
            raise self._gave_up() from None
        return json.loads(self._line())

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self._process.stdin.write(view) or 0 :]

    def _line(self) -> bytes:
        assert self._process.stdout is not None
        output = self._process.stdout.fileno()
        while b"\n" not in self._read:
            self._halt.check()
            if select.select([output], [], [], _LOOK_SECONDS)[0]:
                piece = os.read(output, 1 << 16)
                if not piece:
                    raise self._gave_up()
                self._read += piece
        line, _, self._read = self._read.partition(b"\n")
        return line

    def _gave_up(self) -> ToolFailed:
        return ToolFailed(
            "this regular expression takes too long; write a simpler one, or search plain text", retryable=False
        )
