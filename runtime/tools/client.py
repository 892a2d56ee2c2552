"""The one guarded HTTP client."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GuardedClient:
    """Placeholder until the next commit."""
