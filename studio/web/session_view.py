"""What stands around a conversation: status, rollouts, limits, the queue, and what the person may do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from runtime.domain.dealings import Timer
from runtime.domain.totals import TAPE_LENGTH
from studio.errors import StudioError
from studio.models import AmpSession, Event, Rollout, SessionState, User
from studio.queries.events import pending_of
from studio.queries.instants import instant
from studio.queries.playground import Status, rollouts_shown, status_of, title_of
from studio.queries.rollouts import ticks_of
from studio.queries.standing import next_timer
from studio.queries.viewer import Viewer
from studio.services.control import actions_for
from studio.services.rollout_agent import agent_of
from studio.store.codes import TYPE_CODES
from studio.templatetags.quantities import usd

NEW_TURN = [TYPE_CODES["user.input"], TYPE_CODES["user.interrupt"]]
REQUEST = TYPE_CODES["tool.request"]
BUSY = ("running", "queued")
NEAR, OVER = 0.8, 0.95


@dataclass(frozen=True, slots=True)
class RolloutRow:
    """A rollout of the session, for the inspector."""

    rollout: Rollout
    status: Status
    is_live: bool
    depth: int = 0

    @property
    def ticks(self) -> list[str]:
        return ticks_of(self.rollout)

    @property
    def seq(self) -> int:
        """The last event that the tape covers."""
        return self.rollout.next_seq - 1

    @property
    def is_long(self) -> bool:
        return self.rollout.events > TAPE_LENGTH

    @property
    def label(self) -> str:
        return f"{self.rollout.events} events, {self.status.word}"


@dataclass(frozen=True, slots=True)
class Limit:
    """A count with its limit; `most` is 0 where there is none."""

    name: str
    used: str
    count: float
    most: float = 0

    @property
    def level(self) -> str:
        share = self.count / self.most if self.most else 0
        return "over" if share >= OVER else "near" if share >= NEAR else ""


@dataclass
class SessionView:
    """One session as one person sees it now; read anew for each page and each push."""

    session: AmpSession
    viewer: Viewer
    user: User

    @cached_property
    def title(self) -> str:
        return title_of(self.session)

    @cached_property
    def rollouts(self) -> list[RolloutRow]:
        """Each with the agents that it called under it."""
        return [
            RolloutRow(rollout, status_of(rollout.lifecycle, rollout.waiting_for), rollout.lifecycle in BUSY, depth)
            for rollout, depth in _tree(rollouts_shown(self.session))
        ]

    @cached_property
    def rollout(self) -> Rollout | None:
        """The newest that people speak to: of the agent that the session began with, if there is one."""
        tops = [row.rollout for row in self.rollouts if not row.depth]
        entry = [rollout for rollout in tops if rollout.agent_id == self.session.entry_agent_id]
        return max(entry or tops, key=lambda rollout: rollout.pk, default=None)

    @property
    def status(self) -> Status | None:
        return status_of(self.rollout.lifecycle, self.rollout.waiting_for) if self.rollout else None

    @cached_property
    def children(self) -> frozenset[str]:
        """The rollouts that other agents called."""
        return frozenset(row.rollout.public_id for row in self.rollouts if row.rollout.parent_id is not None)

    @cached_property
    def timer(self) -> Timer | None:
        """The timer that goes off first."""
        return next_timer(self.rollout) if self.rollout else None

    @property
    def timer_at(self) -> str:
        return instant(self.timer.due_at) if self.timer else ""

    @property
    def lifecycle(self) -> str:
        return self.rollout.lifecycle if self.rollout else ""

    @property
    def is_busy(self) -> bool:
        """Whether there is something that a Stop would stop."""
        tops = [row.rollout for row in self.rollouts if not row.depth]
        return any(one.lifecycle in BUSY or one.waiting_for in ("model", "child") for one in tops)

    @cached_property
    def actions(self) -> list[str]:
        """Pause, resume, cancel, retry: those that the person may take now."""
        actions = [str(action) for action in actions_for(self.user, self.rollout)] if self.rollout else []
        return [action for action in actions if action != "pause" or self.lifecycle != "failed"]

    @property
    def may_keep(self) -> bool:
        """Whether the person may rename, archive and delete the session."""
        return self.session.owner_id == self.user.pk or self.viewer.supervises

    @property
    def may_stop(self) -> bool:
        return self.viewer.is_participant or self.viewer.supervises

    @property
    def composer(self) -> str:
        """How the person may write: "message", "instruction", "archived" or "refused"."""
        if self.session.state == SessionState.ARCHIVED:
            return "archived"
        if self.viewer.is_participant:
            return "message"
        return "instruction" if self.viewer.supervises else "refused"

    @cached_property
    def queue(self) -> list[dict[str, Any]]:
        """What waits, in order; `mine` if the person may take it back."""
        waiting = [
            item for row in self.rollouts if row.rollout.pending for item in pending_of(row.rollout, self.viewer)
        ]
        return [
            {**item, "mine": item["source"] == self.viewer.user or self.viewer.supervises}
            for item in waiting
            if item["type"] in ("user.input", "supervisor.instruction", "external.trigger", "timer.trigger")
        ]

    @cached_property
    def limits(self) -> list[Limit]:
        """Tool calls of this turn, tokens and cost of the rollout."""
        rollout = self.rollout
        if rollout is None:
            return []
        calls, tokens = _calls_of_turn(rollout), rollout.tokens_in + rollout.tokens_out
        cost = usd(rollout.cost_usd) if rollout.cost_known else "unknown"
        return [
            Limit("Calls this turn", str(calls), calls, _most_calls(rollout)),
            Limit("Tokens", f"{tokens / 1000:.1f}k" if tokens >= 1000 else str(tokens), tokens),
            Limit("Cost", cost, rollout.cost_usd),
        ]


def _tree(rollouts: Sequence[Rollout]) -> Iterator[tuple[Rollout, int]]:
    """Each rollout with its depth: those that people speak to in order, the agents that they called under them."""
    children: dict[int | None, list[Rollout]] = {}
    for rollout in rollouts:
        children.setdefault(rollout.parent_id, []).append(rollout)

    def below(parent: int | None, depth: int) -> Iterator[tuple[Rollout, int]]:
        for rollout in children.get(parent, ()):
            yield rollout, depth
            yield from below(rollout.pk, depth + 1)

    return below(None, 0)


def _calls_of_turn(rollout: Rollout) -> int:
    """The tool calls since a person spoke last."""
    events = Event.objects.filter(rollout=rollout)
    started = events.filter(type__in=NEW_TURN).order_by("-seq").values_list("seq", flat=True).first() or 0
    return events.filter(type=REQUEST, seq__gt=started).count()


def _most_calls(rollout: Rollout) -> int:
    try:
        return agent_of(rollout).limits.max_tool_calls
    except StudioError:
        return 0  # it cannot run here any more; the page says why when somebody tries
