"""The limits of a rollout as they are now: of its agent file, or as a person has raised them."""

from collections.abc import Mapping

from runtime.domain.agent import Agent
from runtime.domain.events import RolloutResumed
from runtime.domain.events.versions import load
from studio.models import Event, Rollout
from studio.store.codes import TYPE_CODES

RAISED = '"limits":'  # stored without defaults, so only where a limit was raised
BUDGETS = ("budget.tokens", "budget.usd")
LIMITS = (*BUDGETS, "max_steps", "max_tool_calls")


def limits_now(rollout: Rollout, agent: Agent) -> dict[str, float]:
    """Each limit that can be raised, by its name; a budget that the file does not set is not among them."""
    limits = agent.limits
    now: dict[str, float] = {
        "budget.tokens": limits.budget_tokens,
        "budget.usd": limits.budget_usd,
        "max_steps": limits.max_steps,
        "max_tool_calls": limits.max_tool_calls,
    }
    now |= {name: value for name, value in raised_limits(rollout).items() if value > now.get(name, 0)}
    return {name: value for name, value in now.items() if value > 0}


def raised_limits(rollout: Rollout) -> Mapping[str, float]:
    """What people have raised, the last word for each."""
    rows = Event.objects.filter(rollout=rollout, type=TYPE_CODES["rollout.resumed"], payload__contains=RAISED)
    raised: dict[str, float] = {}
    for v, payload in rows.order_by("seq").values_list("v", "payload"):
        resumed = load("rollout.resumed", v, payload)
        if isinstance(resumed, RolloutResumed):
            raised |= resumed.limits
    return raised
