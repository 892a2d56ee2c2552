"""What stands beside the list of `/live`: one rollout, with what a supervisor may do about it."""

from dataclasses import dataclass
from typing import Any

from studio.errors import StudioError
from studio.models import Rollout, User
from studio.queries.events import envelopes_of
from studio.queries.limits import limits_now
from studio.queries.playground import Status, status_of, title_of
from studio.queries.viewer import viewer_of
from studio.services.control import actions_for
from studio.services.rollout_agent import agent_of
from studio.web.event_words import words_of

LATEST = 8
LIMIT_WORDS = {
    "budget.tokens": "Tokens of the whole tree",
    "budget.usd": "US dollars of the whole tree",
    "max_steps": "Model calls in a turn",
    "max_tool_calls": "Tool calls in a turn",
}


@dataclass(frozen=True, slots=True)
class Latest:
    """One of the newest events."""

    seq: int
    at: str
    type: str
    category: str
    icon: str
    words: str


@dataclass(frozen=True, slots=True)
class RaisableLimit:
    """A limit that can be raised, with what it is now."""

    name: str
    words: str
    now: float


@dataclass(frozen=True, slots=True)
class Panel:
    """One rollout. `actions`: pause, resume, cancel, retry as far as they make sense now."""

    rollout: Rollout
    title: str
    status: Status
    actions: list[str]
    states: list[str]
    limits: list[RaisableLimit]
    latest: list[Latest]
    has_others: bool


def panel_of(rollout: Rollout, user: User) -> Panel:
    """The panel of a rollout that the person supervises."""
    states, limits = _room(rollout)
    return Panel(
        rollout=rollout,
        title=title_of(rollout.session),
        status=status_of(rollout.lifecycle, rollout.waiting_for),
        actions=[str(action) for action in actions_for(user, rollout)],
        states=states,
        limits=limits,
        latest=_latest(rollout, user),
        has_others=rollout.session.rollouts.exclude(pk=rollout.pk).exists(),
    )


def _room(rollout: Rollout) -> tuple[list[str], list[RaisableLimit]]:
    """The states that there are and the limits that can be raised; none if its agent cannot be read here."""
    try:
        agent = agent_of(rollout)
    except StudioError:
        return [], []
    now = limits_now(rollout, agent)
    limits = [RaisableLimit(name, LIMIT_WORDS.get(name, name), value) for name, value in now.items()]
    return list(agent.machine.states) if agent.machine else [], limits


def _latest(rollout: Rollout, user: User) -> list[Latest]:
    first = max(1, rollout.next_seq - 3 * LATEST)
    envelopes = envelopes_of(rollout, viewer_of(rollout.session, user), first, rollout.next_seq)
    shown = [event for event in envelopes if not event.get("hidden") and event["category"] != "lifecycle"]
    return [_line(event) for event in reversed(shown[-LATEST:])]


def _line(event: dict[str, Any]) -> Latest:
    words = words_of(event)
    return Latest(event["seq"], event["at"], event["type"], event["category"], words.icon, words.line or words.title)
