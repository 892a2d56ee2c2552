"""What a service refuses. `__str__` is the sentence for the person: what happened, and what to do."""

from typing import ClassVar


class StudioError(Exception):
    """The root; `status` is the HTTP status with which a door answers."""

    status: ClassVar[int] = 400


class NotAllowed(StudioError):
    """The person may see the thing and may not do this with it."""

    status = 403

    def __init__(self, action: str, who_may: str = "an administrator") -> None:
        self.action, self.who_may = action, who_may

    def __str__(self) -> str:
        return f"You may not {self.action}. Ask {self.who_may}."


class Refused(StudioError):
    """A request that makes no sense as it stands; holds its own sentence."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


class NotThereAny(StudioError):
    """What was named is not there any more, or is in no state for this."""

    status = 409

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


class NotFitting(Refused):
    """A value that was given does not fit what is asked for; the sentence names the field."""

    status = 422
