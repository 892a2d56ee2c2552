"""The filter as the kernel reads it, for both kinds of machine."""

import errno
import os
import re
import struct
from pathlib import Path

import pytest

from runtime.tools.sandbox.seccomp import NotThisMachine, filter_for
from runtime.tools.sandbox.syscalls import DENIED, LOOKED_INTO

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
HEADER = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")


def verdict(machine: str, number: int, *args: int, architecture: int | None = None) -> int:
    """What the filter says of a call: the few instructions that it uses, done as the kernel does them."""
    data = struct.pack("=iIQ6Q", number, architecture or ARCHITECTURES[machine], 0, *(*args, 0, 0, 0, 0, 0, 0)[:6])
    program = list(struct.iter_unpack("=HBBI", filter_for(machine)))
    place = value = 0
    while True:
        code, skip_if, skip_unless, operand = program[place]
        place += 1
        match code:
            case 0x20:
                (value,) = struct.unpack_from("=I", data, operand)
            case 0x06:
                return operand
            case _:
                holds = {0x15: value == operand, 0x25: value > operand, 0x45: bool(value & operand)}[code]
                place += skip_if if holds else skip_unless


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_what_is_denied_fails_and_what_is_plain_goes_on(machine: str):
    plain = {"x86_64": (0, 1, 9, 59, 202), "aarch64": (63, 64, 222, 221, 98)}[machine]

    assert {verdict(machine, number) for number in DENIED[machine].values()} == {FAIL | errno.EPERM}
    assert {verdict(machine, number) for number in plain} == {ALLOW}
    assert verdict(machine, 451) == verdict(machine, 0x40000001) == FAIL | errno.ENOSYS
    assert verdict(machine, 1, architecture=0x40000003) == KILL


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_arguments_decide_of_some(machine: str):
    number = LOOKED_INTO[machine]
    opens, chmod = {"x86_64": (257, 90), "aarch64": (56, 52)}[machine]
    denied = FAIL | errno.EPERM

    assert verdict(machine, number["clone"], 0x11) == ALLOW
    assert verdict(machine, number["clone"], 0x10000011) == verdict(machine, number["clone"], 0x40000011) == denied
    assert verdict(machine, number["clone3"]) == verdict(machine, number["openat2"]) == FAIL | errno.ENOSYS
    assert [verdict(machine, number["socket"], family) for family in (1, 2, 10)] == [ALLOW] * 3
    assert {verdict(machine, number["socket"], family) for family in (0, 16, 17, 38, 40)} == {FAIL | errno.EAFNOSUPPORT}
    assert verdict(machine, number["ioctl"], 0, 0x5412) == denied
    assert verdict(machine, number["ioctl"], 0, 0x5401) == ALLOW
    assert verdict(machine, chmod, 0, 0o755) == ALLOW
    assert verdict(machine, chmod, 0, 0o4755) == denied
    assert verdict(machine, opens, 0, 0, os.O_CREAT, 0o2755) == denied
    assert verdict(machine, opens, 0, 0, os.O_RDONLY, 0o2755) == verdict(machine, opens, 0, 0, os.O_CREAT) == ALLOW


def test_another_kind_of_machine_has_no_filter():
    with pytest.raises(NotThisMachine):
        filter_for("riscv64")


@pytest.mark.skipif(not HEADER.exists(), reason="the kernel's headers are not installed")
def test_the_numbers_are_the_kernels():
    known = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", HEADER.read_text())}

    for name, number in (DENIED["x86_64"] | LOOKED_INTO["x86_64"]).items():
        assert known[name] == number
