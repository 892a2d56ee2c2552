"""What all rollouts of a process share."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from runtime.domain.events import RolloutStarted
from runtime.domain.judging import CheckArguments
from runtime.domain.redaction import Redactor
from runtime.engine.executor import Executor
from runtime.ports import Clock, Hub, Model, NewRollout, NoSuchRollout, RolloutInfo, Store

NewChild = Callable[[RolloutInfo, str, RolloutStarted, str], Awaitable[NewRollout]]
"""(parent, id of the child, how it starts, text of its agent) to the rollout to be made, its tools pinned."""


async def no_children(parent: RolloutInfo, child: str, start: RolloutStarted, text: str) -> NewRollout:
    """Where no agent is published, none can be invoked."""
    raise NoSuchRollout(child)


Price = tuple[float, float]
"""What a model takes in USD for a token in, and for one out."""

Prices = Callable[[str, Sequence[str]], Awaitable[Mapping[str, Price]]]
"""(project, models) to the prices of those whose price is known."""


async def no_prices(project: str, models: Sequence[str]) -> Mapping[str, Price]:
    """Where no model has a price, nothing of a budget in USD can be set aside."""
    return {}


GRACE_SECONDS = 25.0


@dataclass(frozen=True, slots=True)
class Shell:
    """The ports, how other rollouts come to be, and how long an idle rollout stays in memory.

    `grace_seconds`: how long calls that are not `read` may go on once the process was told to end.
    """

    store: Store
    hub: Hub
    clock: Clock
    model: Model
    executor: Executor
    check: CheckArguments
    redactor: Redactor = field(default_factory=Redactor)
    new_rollout_id: Callable[[], str] = lambda: ""
    new_child: NewChild = no_children
    prices: Prices = no_prices
    linger_seconds: float = 5.0
    grace_seconds: float = GRACE_SECONDS
