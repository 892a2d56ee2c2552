"""What a store refuses, in words."""

from runtime.domain.errors import RuntimeFault


class QueueFull(RuntimeFault):
    """Too many events wait for one rollout."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __str__(self) -> str:
        return f"{self.limit} messages wait for this agent already. Wait until it has read some, then send again."


class KeyReused(RuntimeFault):
    """The same idempotency key with another body."""

    def __str__(self) -> str:
        return "this Idempotency-Key was used before with another body; send the same body, or a new key"


class NoSuchRollout(RuntimeFault):
    """There is no rollout of that id (any more)."""

    def __init__(self, rollout: str) -> None:
        self.rollout = rollout

    def __str__(self) -> str:
        return f"there is no rollout {self.rollout}"


class RolloutEnded(RuntimeFault):
    """The rollout was completed or cancelled: a message needs a new one."""

    def __init__(self, rollout: str) -> None:
        self.rollout = rollout

    def __str__(self) -> str:
        return f"rollout {self.rollout} has ended and takes no more events; send the message to a new rollout"
