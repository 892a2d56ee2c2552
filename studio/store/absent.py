"""What the store is told to write about, and is not there."""

from runtime.domain.errors import RuntimeFault


class NotThere(RuntimeFault):
    """A session, an agent or a version that a new rollout names is not there."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __str__(self) -> str:
        return f"{self.what} is not there; choose one from the list"
