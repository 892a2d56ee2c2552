"""The filter that the kernel runs at each call of a sandboxed program, as the bytes that bubblewrap hands over.

A classic BPF program: what is denied fails with an error that programs know, and the program goes on.
"""

import errno
import os
import socket
import struct

from runtime.tools.sandbox.syscalls import DENIED, LOOKED_INTO, NEWEST, OPENS, TAKES_MODE

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # where they stand in what the kernel hands to the filter

_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000

_NEW_NAMESPACES = 0x7E020080  # CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)  # in a network of its own, without a way out
_BECOMES_OWNER = 0o6000  # who runs such a file is somebody else: nobody outside shall
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX type into a terminal


class NotThisMachine(Exception):
    """There is no filter for machines of this kind."""


def filter_for(machine: str) -> bytes:
    """The program for a kind of machine as `os.uname` names it. Raises NotThisMachine."""
    if machine not in _ARCHITECTURES:
        raise NotThisMachine(machine)
    looked_into = LOOKED_INTO[machine]
    return b"".join(
        (
            _load(_ARCHITECTURE),
            _if_equal(_ARCHITECTURES[machine], skip_unless=0, skip_if=1),
            _end(_KILL),
            _load(_NUMBER),
            *_when_more(NEWEST, _fail(errno.ENOSYS)),
            # What these are asked cannot be seen from here; libraries then ask in the older way.
            *(part for name in ("clone3", "openat2") for part in _when(looked_into[name], _fail(errno.ENOSYS))),
            *(part for number in DENIED[machine].values() for part in _when(number, _fail(errno.EPERM))),
            *_looking(looked_into["clone"], 0, [_if_any_of(_NEW_NAMESPACES), _fail(errno.EPERM)]),
            *_looking(looked_into["socket"], 0, _unless_among(_FAMILIES, _fail(errno.EAFNOSUPPORT))),
            *_looking(looked_into["ioctl"], 1, _if_among(_TERMINAL_INPUT, _fail(errno.EPERM))),
            *(
                part
                for number, mode in TAKES_MODE[machine].items()
                for part in _looking(number, mode, [_if_any_of(_BECOMES_OWNER), _fail(errno.EPERM)])
            ),
            *(part for number, flags in OPENS[machine].items() for part in _looking(number, flags, _made_owner(flags))),
            _end(_ALLOW),
        )
    )


def _looking(number: int, argument: int, parts: list[bytes]) -> list[bytes]:
    """For the call of that number alone: load an argument, do the parts, and else allow it."""
    inside = [_load(_ARGUMENTS + 8 * argument), *parts, _end(_ALLOW)]
    return [_if_equal(number, skip_if=0, skip_unless=len(inside)), *inside]


def _made_owner(flags: int) -> list[bytes]:
    """A mode counts only where the flags say that a file is made."""
    refused = [_load(_ARGUMENTS + 8 * (flags + 1)), _if_any_of(_BECOMES_OWNER), _fail(errno.EPERM)]
    return [_instruction(0x45, os.O_CREAT, 0, len(refused)), *refused]


def _when(number: int, then: bytes) -> list[bytes]:
    return [_if_equal(number, skip_if=0, skip_unless=1), then]


def _when_more(number: int, then: bytes) -> list[bytes]:
    return [_instruction(0x25, number, 0, 1), then]


def _if_any_of(bits: int) -> bytes:
    return _instruction(0x45, bits, 0, 1)


def _if_among(values: tuple[int, ...], then: bytes) -> list[bytes]:
    return [part for value in values for part in _when(value, then)]


def _unless_among(values: tuple[int, ...], then: bytes) -> list[bytes]:
    """Skips `then` for each of the values."""
    ahead = [_if_equal(value, skip_if=len(values) - index, skip_unless=0) for index, value in enumerate(values)]
    return [*ahead, then]


def _load(offset: int) -> bytes:
    return _instruction(0x20, offset)


def _if_equal(value: int, *, skip_if: int, skip_unless: int) -> bytes:
    return _instruction(0x15, value, skip_if, skip_unless)


def _fail(error: int) -> bytes:
    return _end(_FAIL | error)


def _end(verdict: int) -> bytes:
    return _instruction(0x06, verdict)


def _instruction(code: int, value: int, skip_if: int = 0, skip_unless: int = 0) -> bytes:
    return struct.pack("=HBBI", code, skip_if, skip_unless, value)
