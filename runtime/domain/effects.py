"""What should be running now, as data. `key` is an effect's identity: the same key is the same piece of work."""

from dataclasses import dataclass

from runtime.domain.state import Call


@dataclass(frozen=True, slots=True)
class CallModel:
    """One attempt of a step. `not_before` in microseconds: a backoff; 0 = at once."""

    step: int
    attempt: int
    model: str
    withhold: bool
    not_before: int = 0

    @property
    def key(self) -> str:
        return f"model:{self.step}:{self.attempt}"


@dataclass(frozen=True, slots=True)
class RunTool:
    """A call to run. If it may not `begin`, it goes on only where it already runs."""

    call: Call
    begin: bool = True

    @property
    def key(self) -> str:
        return f"tool:{self.call.id}"


@dataclass(frozen=True, slots=True)
class Fail:
    """Nothing more can be tried: record it."""

    error: str

    @property
    def key(self) -> str:
        return "fail"


Effect = CallModel | RunTool | Fail
