"""What all rollouts of a process share."""

from dataclasses import dataclass, field

from runtime.domain.redaction import Redactor
from runtime.domain.reply import CheckArguments
from runtime.engine.executor import Executor
from runtime.ports import Clock, Hub, Model, Store


@dataclass(frozen=True, slots=True)
class Shell:
    """The ports, and how long an idle rollout stays in memory."""

    store: Store
    hub: Hub
    clock: Clock
    model: Model
    executor: Executor
    check: CheckArguments
    redactor: Redactor = field(default_factory=Redactor)
    linger_seconds: float = 5.0
