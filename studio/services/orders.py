"""What supervisors order beyond going on and stopping: another business state, a higher limit."""

import math
from collections.abc import Mapping
from typing import Any

from runtime.domain.agent import Agent
from runtime.domain.events import ResumeReason, RolloutResumed, StateUpdate
from runtime.domain.machine import forced
from studio.errors import NotFitting, Refused
from studio.models import Rollout
from studio.queries.limits import LIMITS, limits_now

MOST = 10**12


def state_update(
    rollout: Rollout, agent: Agent, to: str, set: Mapping[str, Any], *, by: str, reason: str
) -> StateUpdate:
    """A person's move of the business state. Raises Refused with the states that there are, NotFitting."""
    machine = agent.machine
    if machine is None:
        raise Refused(f"The agent {agent.name} has no states, so there is none to set.")
    now = rollout.business_state or machine.initial
    if to and to not in machine.states:
        raise Refused(f"The agent {agent.name} has no state {to[:60]!r}. Choose one of: {', '.join(machine.states)}.")
    move = forced(machine, now, {}, to=to, set=set)
    if not move.accepted:
        raise NotFitting(move.error)
    return StateUpdate(from_state=now, to_state=move.to, set=dict(move.set), reason=reason, by=by)


def raised_limit(
    rollout: Rollout, agent: Agent, limit: str, value: float, *, by: str, reason: str = ""
) -> RolloutResumed:
    """A higher limit. Raises Refused, NotFitting."""
    if limit not in LIMITS:
        raise Refused(f"There is no limit {limit[:60]!r} that can be raised. Choose one of: {', '.join(LIMITS)}.")
    now = limits_now(rollout, agent).get(limit)
    if now is None:
        raise Refused(f"The agent {agent.name} has no {limit}, so there is nothing to raise.")
    if not math.isfinite(value) or value > MOST:
        raise NotFitting(f"The new {limit} must be a number up to {MOST}.")
    if limit != "budget.usd" and value != int(value):
        raise NotFitting(f"The new {limit} must be a whole number.")
    if value <= now:
        raise NotFitting(f"The new {limit} must be over what it is now: {now:g}.")
    return RolloutResumed(by=by, reason=ResumeReason.LIMIT, limits={limit: value}, why=reason)
