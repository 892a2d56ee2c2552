"""Tools that run programs on the real sandbox, with small limits, and a look at what is left of them outside."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runtime.domain.definition import ToolGrant
from runtime.ports import ToolFailed
from runtime.tools.registry import discover
from runtime.tools.sandbox.folder import opened_path
from runtime.tools.sandbox.limits import MIB, Limits
from runtime.tools.sandbox.sandbox import Sandbox
from runtime.tools.services import ToolServices
from tests.tools.calling import Desk

SMALL = Limits(
    memory_bytes=256 * MIB,
    processes=24,
    scratch_bytes=4 * MIB,
    file_bytes=4 * MIB,
    folder_bytes=10 * MIB,
    folder_entries=1000,
    output_bytes=4096,
)
ARGUMENT = {"shell": "command", "python": "code"}
SECONDS = 2.0
"""The tools' time limit; a program gets half of it."""


class Allowed:
    """Grants as a test gives and takes them; fulfils `runtime.ports.SandboxGrants`."""

    def __init__(self) -> None:
        self.is_given = True

    async def has_grant(self, rollout: str) -> bool:
        return self.is_given


@dataclass
class Rig:
    """`home` has the session folders, `root` the workspaces of agent files."""

    home: Path
    limits: Limits = SMALL
    seconds: float = SECONDS

    def __post_init__(self) -> None:
        self.grants = Allowed()
        self.sessions, self.root, self.data = self.home / "sessions", self.home / "workspaces", self.home / "data"
        for folder in (self.sessions, self.root, self.data):
            folder.mkdir(exist_ok=True)

    @property
    def session(self) -> Path:
        """The folder in which programs work unless they are given another."""
        return self.sessions / "se_1"

    def desk(self, **settings: str) -> Desk:
        """The two tools, and the file tools on the same workspace."""
        sandbox = Sandbox(self.grants, str(self.sessions), (str(self.data),), self.limits)
        registry = discover(ToolServices(sandbox=sandbox))
        grants = [ToolGrant(name=name, timeout=self.seconds, settings=settings) for name in ("shell", "python")]
        return Desk(registry.grant([*grants, ToolGrant(name="files", settings=settings)], root=str(self.root)))

    @property
    def left_running(self) -> list[int]:
        """The processes that are left of programs in any of its folders."""
        return left_running(*self.sessions.iterdir(), *self.root.iterdir())

    async def told(self, tool: str, text: str, **settings: str) -> str:
        """What the model is told of a call, whether it worked or not."""
        try:
            return await self.desk(**settings).call(tool, **{ARGUMENT[tool]: text})
        except ToolFailed as failed:
            return failed.sentence


def left_running(*folders: Path) -> list[int]:
    """The processes that are still there of the accounts under which programs run in these folders.

    Where the studio is not root that is its own account, and this process is left out.
    """
    accounts = {os.geteuid()} if os.geteuid() else {_account(folder) for folder in folders if folder.exists()}
    return [pid for pid, uid in _processes() if uid in accounts and pid != os.getpid()]


def _account(folder: Path) -> int | None:
    with opened_path(str(folder)) as opened:
        return opened.account


def _processes() -> Iterator[tuple[int, int]]:
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z":  # ended, and not yet taken note of by the machine's first process
                yield int(name), os.stat(f"/proc/{name}").st_uid
        except (FileNotFoundError, ProcessLookupError):
            continue
