"""How much a sandboxed program may use."""

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` by the clock, and of each process on the processor.

    `memory_bytes` for all processes together, and the address space of each; `processes` counts threads, too.
    `scratch_bytes` for `/tmp` and for shared memory, each. `file_bytes` for one file; `folder_bytes` and
    `folder_entries` for the whole folder. `output_bytes` are kept; the rest is read and dropped.
    """

    seconds: float = 60.0
    memory_bytes: int = 1024 * MIB
    processes: int = 64
    open_files: int = 256
    scratch_bytes: int = 64 * MIB
    file_bytes: int = 256 * MIB
    folder_bytes: int = 512 * MIB
    folder_entries: int = 50_000
    output_bytes: int = 64 * 1024
