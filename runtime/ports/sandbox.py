"""The port for what an administrator allows: which agents may run programs in the sandbox."""

from typing import Protocol


class SandboxGrants(Protocol):
    """Asked at each call, so that a grant that is taken back stops the next one."""

    async def has_grant(self, rollout: str) -> bool:
        """Whether the agent of the rollout with this public id may run programs now."""
        ...
