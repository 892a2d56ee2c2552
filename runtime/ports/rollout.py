"""What the store and the hub are told of a rollout."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Projection:
    """What lists show of a rollout; written with each append, equal to the fold of what is stored (promise 12)."""

    lifecycle: str
    waiting_for: str = ""
    waiting_until: int = 0
    events: int = 0  # without lifecycle records
    records: int = 0  # lifecycle records
    steps: int = 0
    tool_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    cost_known: bool = True
    last_text: str = ""
    tape: str = ""  # a letter an event, the last 60: see domain/totals.py
    business_state: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class RolloutInfo:
    """What never changes about a rollout while one owner has it."""

    rollout: str
    session: str
    project: str
    agent: str
    version: int
    agent_text: str
