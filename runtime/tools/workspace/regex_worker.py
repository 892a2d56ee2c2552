"""The other end of `regex_process`: a program that looks for one pattern in the texts that it is given.

It stands in a process of its own because Python's `re` cannot be stopped: a pattern such as `(a+)+$` would hold
the whole studio. Run as a file, with the standard library alone.
"""

import json
import re
import resource
import struct
import sys

_CPU_SECONDS = 10
_MEMORY_BYTES = 512 << 20
_LONGEST_LINE = 2000


def main() -> None:
    """First frame: the pattern; its answer: null or what is wrong with it. Each further frame: a text; its answer:
    the numbers of the lines that match. Frames have a length of four bytes before them; answers are lines of JSON."""
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    wanted = json.loads(_frame() or b"{}")
    try:
        pattern = re.compile(wanted["pattern"], re.IGNORECASE if wanted["ignore_case"] else 0)
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        _answer(str(error) or "it is too large")
        return
    _answer(None)
    while (frame := _frame()) is not None:
        lines = frame.decode("utf-8", "replace").split("\n")
        _answer([number for number, line in enumerate(lines, 1) if pattern.search(line[:_LONGEST_LINE])])


def _frame() -> bytes | None:
    head = sys.stdin.buffer.read(4)
    if len(head) < 4:
        return None
    (length,) = struct.unpack(">I", head)
    return sys.stdin.buffer.read(length)


def _answer(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
