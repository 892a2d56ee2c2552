"""One program in its sandbox: started, watched, and ended with all that came from it."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from io import FileIO
from typing import Self

from runtime.tools.sandbox.bubble import Handed, command_line
from runtime.tools.sandbox.folder import Folder
from runtime.tools.sandbox.limits import Limits
from runtime.tools.sandbox.output import Output
from runtime.tools.sandbox.readable import readable

_STOP_SECONDS = 0.8  # a cancelled tool has one second
_PIECE_BYTES = 1 << 16


class Bubbled:
    """A running sandbox. Use it as a context: at its end nothing is left running or open.

    `has_begun`: whether the program itself ran, in a sandbox that was whole.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Folder,
        limits: Limits,
        *,
        filter_: bytes,
        files: Mapping[str, str],
        kept_out: Sequence[str],
    ) -> None:
        """Raises OSError when it cannot be started."""
        self.output, self.has_begun = Output(limits.output_bytes), False
        self._word, self._before = f"ready {os.urandom(16).hex()}\n".encode(), b""
        self._info, self._first, self._outer = _Info(), -1, -1
        with contextlib.ExitStack() as handed_over:
            handed = Handed(
                filter=handed_over.enter_context(_in_memory(filter_)).fileno(),
                info=handed_over.enter_context(self._info.told).fileno(),
                files={
                    path: handed_over.enter_context(_in_memory(text.encode())).fileno() for path, text in files.items()
                },
            )
            self._process = subprocess.Popen(
                command_line(command, folder, limits, handed, kept_out, ready=self._word.decode().strip()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={"PATH": os.defpath},
                cwd="/",
                start_new_session=True,
                pass_fds=handed.all,
                bufsize=0,
            )

    def __enter__(self) -> Self:
        self._outer = os.pidfd_open(self._process.pid)
        os.set_blocking(self._out, False)
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._process.wait()
        self._info.close()
        assert self._process.stdout is not None
        self._process.stdout.close()
        for descriptor in (self._outer, self._first):
            if descriptor >= 0:
                os.close(descriptor)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def _out(self) -> int:
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    async def ended(self) -> int:
        """The exit code, once it has ended; what it left running is ended with it."""
        pumping = asyncio.create_task(self._pump())
        try:
            await readable(self._outer)
            self.kill()
            await self._all_gone(pumping)
        finally:
            pumping.cancel()
            await asyncio.wait({pumping})  # two may not wait for one descriptor
        return self._process.wait()

    async def stop(self) -> bool:
        """Kill it. Whether it is proven that nothing of it goes on; takes less than a second."""
        self.kill()
        pumping = asyncio.create_task(self._pump())
        gone = asyncio.create_task(self._all_gone(pumping))
        done, _ = await asyncio.wait({gone}, timeout=_STOP_SECONDS)
        gone.cancel()
        pumping.cancel()
        return gone in done and gone.exception() is None

    def kill(self) -> None:
        """End all of it, now: the kernel ends every process of a sandbox together with its first one."""
        if self._first < 0:
            self._first = self._info.first_process()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        if self._first >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)

    async def _all_gone(self, pumping: asyncio.Task[None]) -> None:
        await readable(self._outer)
        if self._first >= 0:
            await readable(self._first)
        await asyncio.wait({pumping})

    async def _pump(self) -> None:
        """Takes the output until nobody is left that could write any."""
        while True:
            await readable(self._out)
            piece = os.read(self._out, _PIECE_BYTES)
            if not piece:
                self.output.add(self._before)
                self._before = b""
                return
            self._take(piece)

    def _take(self, piece: bytes) -> None:
        """The word that all is ready comes first, and is no output."""
        if self._word:
            self._before += piece
            if len(self._before) < len(self._word) and self._word.startswith(self._before):
                return
            self.has_begun = self._before.startswith(self._word)
            piece, self._before = self._before[len(self._word) if self.has_begun else 0 :], b""
            self._word = b""
        self.output.add(piece)


class _Info:
    """What bubblewrap tells of itself before it lets the program begin: the number of the first process inside."""

    def __init__(self) -> None:
        reading, writing = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(reading, False)
        self._file, self.told = FileIO(reading, "rb"), FileIO(writing, "wb")

    def first_process(self) -> int:
        """A descriptor of that process; -1 if nothing was told, or it is gone."""
        told = self._file.read() or b""
        try:
            return os.pidfd_open(json.loads(told)["child-pid"])
        except (ValueError, KeyError, ProcessLookupError):
            return -1

    def close(self) -> None:
        self._file.close()
        self.told.close()


def _in_memory(content: bytes) -> FileIO:
    file = FileIO(os.memfd_create("studio"), "r+b")
    file.write(content)
    file.seek(0)
    return file
