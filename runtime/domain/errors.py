"""The root of the runtime's errors, and those of the pure core."""


class RuntimeFault(Exception):
    """Root of all errors that the runtime raises on purpose."""


class BrokenTrajectory(RuntimeFault):
    """A trajectory that cannot be what the runtime wrote."""

    def __init__(self, seq: int, reason: str) -> None:
        self.seq, self.reason = seq, reason

    def __str__(self) -> str:
        return f"event {self.seq} does not fit the trajectory before it: {self.reason}"


class UnknownEventType(RuntimeFault):
    """A stored event whose type this version of the runtime does not know."""

    def __init__(self, type_: str, version: int) -> None:
        self.type, self.version = type_, version

    def __str__(self) -> str:
        return f"event type {self.type!r} version {self.version} is not known here; was it written by a newer Studio?"
