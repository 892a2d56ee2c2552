"""What the store and the hub are told of a rollout."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Projection:
    """What lists show of a rollout; written with each append, equal to the fold of what is stored (promise 12).

    `wake_at`: when a timer, a question or a stay in a state is due, microseconds; 0 = nothing is. It may be set for a
    cancelled rollout, which still has to undo what it did. `reserved_*`: what is set aside for the model call in
    flight; `budget_*`: the limits of the whole tree, of a root alone; 0 = none.
    """

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
    wake_at: int = 0
    reserved_tokens: int = 0
    reserved_usd: float = 0.0
    budget_tokens: int = 0
    budget_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class RolloutInfo:
    """What never changes about a rollout while one owner has it. A sub-agent has a `parent` and the `root` above it."""

    rollout: str
    session: str
    project: str
    agent: str
    version: int
    agent_text: str
    root: str = ""
    parent: str = ""
