"""How bubblewrap is called: a machine with nothing in it but programs to read, a scratch folder and the workspace."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from runtime.tools.sandbox.folder import Folder
from runtime.tools.sandbox.limits import Limits

WORKSPACE = "/workspace"
PLAIN_ACCOUNT = 1000
BUBBLEWRAP, CHANGE_ACCOUNT, SET_LIMITS = "bwrap", "setpriv", "prlimit"
_PROGRAM_LINKS = ("/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime")

# Runs within, limits set and rights dropped: it looks whether the workspace is the folder that was opened, says by the
# word that it was given that all is ready, and becomes the program.
_LAUNCHER = (
    f"cd {WORKSPACE} || exit 125; "
    'if [ "$(stat -c %d:%i .)" != "$1" ]; then echo "the workspace was replaced while it was opened"; exit 125; fi; '
    'echo "$2"; shift 2; exec "$@"'
)


@dataclass(frozen=True, slots=True)
class Handed:
    """The open descriptors that bubblewrap is given: the filter, where it tells of itself, and files by their path."""

    filter: int
    info: int
    files: Mapping[str, int]

    @property
    def all(self) -> tuple[int, ...]:
        return (self.filter, self.info, *self.files.values())


def system_files(account: int) -> dict[str, str]:
    """The files of the system that are made up for the sandbox, by path."""
    return {
        "/etc/passwd": f"agent:x:{account}:{account}:agent:{WORKSPACE}:/bin/sh\n",
        "/etc/group": f"agent:x:{account}:\n",
        "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
    }


def command_line(
    command: Sequence[str], folder: Folder, limits: Limits, handed: Handed, kept_out: Sequence[str], *, ready: str
) -> list[str]:
    """The whole call. Nothing under `kept_out` is seen inside, wherever it lies. `ready` is printed first."""
    return [
        *(BUBBLEWRAP, "--die-with-parent", "--new-session"),
        *_apart(folder.account),
        *_readable(kept_out),
        *_given(handed.files),
        *("--proc", "/proc", "--dev", "/dev"),
        *_scratch("/dev/shm", limits),
        *_scratch("/tmp", limits),
        *("--bind", folder.path, WORKSPACE, "--chdir", "/"),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
        "--clearenv",
        *(part for name, value in _environment().items() for part in ("--setenv", name, value)),
        *("--seccomp", str(handed.filter), "--info-fd", str(handed.info), "--"),
        *_dropped(folder.account),
        *_limited(limits),
        *("sh", "-c", _LAUNCHER, "sh", folder.identity, ready),
        *command,
    ]


def _apart(account: int | None) -> list[str]:
    """Without processes, network, memory and names in common with the machine.

    A studio that runs as root hands the account over inside; another one has no account to give, and maps its own.
    """
    apart = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if account is None:
        own = str(PLAIN_ACCOUNT)
        return [*apart, "--unshare-user", "--disable-userns", "--uid", own, "--gid", own, "--hostname", "sandbox"]
    kept = [part for name in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP") for part in ("--cap-add", name)]
    return [*apart, "--hostname", "sandbox", "--cap-drop", "ALL", *kept]


def _dropped(account: int | None) -> list[str]:
    if account is None:
        return []
    own = str(account)
    none = ["--clear-groups", "--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs"]
    return [CHANGE_ACCOUNT, "--reuid", own, "--regid", own, *none]


def _limited(limits: Limits) -> list[str]:
    seconds = max(1, round(limits.seconds))
    return [
        *("nice", "-n", "10", SET_LIMITS),
        f"--cpu={seconds}:{seconds + 1}",
        f"--as={limits.memory_bytes}",
        f"--nproc={limits.processes}",
        f"--nofile={limits.open_files}",
        f"--fsize={limits.file_bytes}",
        "--core=0",
        "--memlock=0",
        "--msgqueue=0",
    ]


def _readable(kept_out: Sequence[str]) -> Iterator[str]:
    trees = ["/usr"] if python_tree().startswith("/usr/") else ["/usr", python_tree()]
    for tree in trees:
        yield from _way_to(tree)
        yield from ("--ro-bind", tree, tree)
        for kept in kept_out:
            if os.path.commonpath([tree, kept]) == tree:
                yield from ("--tmpfs", kept)
    for path in _PROGRAM_LINKS:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    yield from _way_to(_SYSTEM_FILES[0])
    for path in _SYSTEM_FILES:
        yield from ("--ro-bind-try", path, path)


def _given(files: Mapping[str, int]) -> Iterator[str]:
    for path, descriptor in files.items():
        yield from (*_way_to(path), "--perms", "0644", "--ro-bind-data", str(descriptor), path)


def _way_to(path: str) -> Iterator[str]:
    """The folders above it, which anybody may enter."""
    for folder in reversed(PurePosixPath(path).parents[:-1]):
        yield from ("--perms", "0755", "--dir", str(folder))


def python_tree() -> str:
    """Where the interpreter of the studio lies, without what was installed beside it for the studio."""
    return os.path.realpath(sys.base_prefix)


def python_program() -> str:
    """That interpreter."""
    return os.path.realpath(sys.executable)


def _scratch(path: str, limits: Limits) -> list[str]:
    return ["--perms", "1777", "--size", str(limits.scratch_bytes), "--tmpfs", path]


def _environment() -> dict[str, str]:
    return {
        "PATH": f"/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:{python_tree()}/bin",
        "HOME": WORKSPACE,
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONPATH": WORKSPACE,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
    }
