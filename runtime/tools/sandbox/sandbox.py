"""The sandbox of an installation: whether an agent may use it, and one program in it. There is no other way to run one.

Source: security.md, "What goes out".
"""

import asyncio
import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from runtime.ports import NothingDone, SandboxGrants, Stopped, ToolContext, ToolFailed
from runtime.tools.sandbox.bubble import BUBBLEWRAP, CHANGE_ACCOUNT, PLAIN_ACCOUNT, SET_LIMITS, system_files
from runtime.tools.sandbox.bubbled import Bubbled
from runtime.tools.sandbox.folder import Filling, Folder, opened_folder, opened_path
from runtime.tools.sandbox.limits import Limits
from runtime.tools.sandbox.seccomp import NotThisMachine, filter_for
from runtime.tools.sandbox.watching import first_excess
from runtime.tools.workspace.blocking import Halt, read_in_thread
from runtime.tools.workspace.errors import in_words

_AT_ONCE = 4
_LOOK_SECONDS = 0.05
_PROBE_SECONDS = 5.0
_NOTHING_BEGUN = "it was cancelled before it began; nothing was run"
_TIME_TO_TELL = 1.5  # of the tool's time limit, so that its end is told with what was written until then
_NO_FILES: Mapping[str, str] = MappingProxyType({})


class NoGrants:
    """An installation in which no agent may run programs; fulfils `runtime.ports.SandboxGrants`."""

    async def has_grant(self, rollout: str) -> bool:
        return False


class CannotSandbox(ToolFailed):
    """There is no sandbox to be had, so nothing was run."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"nothing was run, for the sandbox cannot be had here: {reason}", retryable=False)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: its exit code, or why it was stopped, in words."""

    output: str
    exit_code: int = 0
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """`sessions`: the absolute path of the folder in which each session has one.

    `kept_out`: paths that no program sees. `places` bounds how many run at once in this process.
    """

    grants: SandboxGrants = field(default_factory=NoGrants)
    sessions: str = ""
    kept_out: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    places: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(_AT_ONCE))

    async def fault(self) -> str:
        """Why there is no sandbox here, in a sentence; empty where one was just tried and works."""
        try:
            with tempfile.TemporaryDirectory() as path, opened_path(path) as folder:
                filter_ = checked_filter()
                await _prepared(folder)
                limits = replace(self.limits, seconds=_PROBE_SECONDS)
                with self._started(["true"], folder, limits, filter_, {}) as program:
                    ended = await _watched(program, folder, limits, Filling())
        except CannotSandbox as fault:
            return f"{fault.reason[0].upper()}{fault.reason[1:]}."
        return "It does not answer in time." if ended.stopped else ""

    def forget(self, session: str) -> None:
        """Remove the folder of a session, and all that is in it."""
        if self.sessions and session:
            shutil.rmtree(os.path.join(self.sessions, os.path.basename(session)), ignore_errors=True)

    async def run(self, context: ToolContext, command: Sequence[str], files: Mapping[str, str] = _NO_FILES) -> Ended:
        """Run a command for a call, in the workspace. `files`: texts to be read inside, by absolute path.

        Raises ToolFailed without an effect where that must not or cannot be; Stopped when cancelled.
        """
        settings, limits = context.spec.settings, replace(self.limits, seconds=_seconds(context.spec.timeout_seconds))
        with _nothing_begun():
            await self._take_place()
        try:
            with _nothing_begun():
                await self._must_be_granted(context)
            filter_ = checked_filter()
            with opened_folder(settings, context.session, self.sessions, self.kept_out) as folder:
                with _nothing_begun():
                    before = await _prepared(folder)
                with self._started(command, folder, limits, filter_, files) as program:
                    return await _watched(program, folder, limits, before)
        finally:
            self.places.release()

    async def _must_be_granted(self, context: ToolContext) -> None:
        if not await self.grants.has_grant(context.rollout):
            raise ToolFailed(
                "nothing was run: this agent may not run programs. An administrator can allow it under Settings, "
                "Sandbox",
                retryable=False,
            )

    async def _take_place(self) -> None:
        while not self.places.acquire(blocking=False):  # noqa: ASYNC110 - held by several loops and threads
            await asyncio.sleep(_LOOK_SECONDS)

    def _started(
        self, command: Sequence[str], folder: Folder, limits: Limits, filter_: bytes, files: Mapping[str, str]
    ) -> Bubbled:
        account = PLAIN_ACCOUNT if folder.account is None else folder.account
        try:
            return Bubbled(
                command,
                folder,
                limits,
                filter_=filter_,
                files={**system_files(account), **files},
                kept_out=self.kept_out,
            )
        except OSError as error:
            raise CannotSandbox(f"{BUBBLEWRAP} cannot be started: {error.strerror}") from error


def checked_filter() -> bytes:
    """The filter for this machine. Raises CannotSandbox for what is missing here, with what to do."""
    needed = [BUBBLEWRAP, SET_LIMITS, *([CHANGE_ACCOUNT] if os.geteuid() == 0 else [])]
    for program in needed:
        if shutil.which(program, path=os.defpath) is None:
            package = "bubblewrap" if program == BUBBLEWRAP else "util-linux"
            raise CannotSandbox(f"{program} is not installed; an administrator installs the package {package}")
    try:
        return filter_for(os.uname().machine)
    except NotThisMachine as error:
        raise CannotSandbox(f"there is no seccomp filter for machines of the kind {error}") from error


async def _prepared(folder: Folder) -> Filling:
    def work(halt: Halt) -> Filling:
        with in_words("the workspace folder"):
            folder.hand_over(halt)
            return folder.measure(halt)

    return await read_in_thread(work)


async def _watched(program: Bubbled, folder: Folder, limits: Limits, before: Filling) -> Ended:
    ending = asyncio.create_task(program.ended())
    excess = asyncio.create_task(first_excess(program.pid, folder, limits, before))
    try:
        await asyncio.wait({ending, excess}, timeout=limits.seconds, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        await _given_up(ending, excess)
        raise await _stopped(program) from None
    if ending.done():
        await _given_up(excess)
        return _ended(program, ending.result())
    why = excess.result() if excess.done() else f"it took longer than {limits.seconds:g} s"
    await _given_up(ending, excess)
    if not await program.stop():
        raise ToolFailed(f"{why}; it was told to end, and it is not known whether it did", retryable=False)
    return Ended(program.output.text, stopped=why)


def _ended(program: Bubbled, exit_code: int) -> Ended:
    if not program.has_begun:
        said = program.output.text.strip().removeprefix("bwrap: ") or f"it ended with {exit_code}"
        raise CannotSandbox(f"bubblewrap says: {said[-500:]}")
    return Ended(program.output.text, exit_code)


async def _stopped(program: Bubbled) -> BaseException:
    """What a cancelled call ends with: only what is proven is said."""
    if not await program.stop():
        return asyncio.CancelledError()
    if not program.has_begun:
        return NothingDone(_NOTHING_BEGUN)
    return Stopped("Stopped, with all that it had started. What it had written to files until then is there.")


@contextlib.contextmanager
def _nothing_begun() -> Iterator[None]:
    """What is cancelled here has no effect."""
    try:
        yield
    except asyncio.CancelledError:
        raise NothingDone(_NOTHING_BEGUN) from None


async def _given_up(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def _seconds(timeout_seconds: float) -> float:
    return max(timeout_seconds - _TIME_TO_TELL, timeout_seconds / 2)
