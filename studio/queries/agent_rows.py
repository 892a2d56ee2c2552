"""The agents list: one row an agent with how it did, and the figures over all of them.

Rollouts count only where the viewer may see them. Times of rollouts are microseconds since 1970.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from studio.models import Agent, Event, Rollout, User
from studio.queries.agent_facts import facts_of
from studio.queries.agents import agents_for

LIVE = ("queued", "running")
SHOWN_ROLLOUTS = 20
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Bar:
    """One rollout in the sparkline; `height` 1 to 10 is its time against the longest of the agent's."""

    public_id: str
    status: str
    seconds: float
    height: int


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One line of the list; None where there is nothing to say yet."""

    agent: Agent
    model: str
    tags: tuple[str, ...]
    live_number: int | None
    is_edited: bool
    bars: tuple[Bar, ...]
    finished_well: float | None
    typical_seconds: float | None
    cost_usd: float
    cost_known: bool
    live_count: int
    last_active_at: datetime | None

    @property
    def status(self) -> str:
        """archived, draft, edited (unpublished edits) or live."""
        if self.agent.archived_at:
            return "archived"
        if self.live_number is None:
            return "draft"
        return "edited" if self.is_edited else "live"


@dataclass(frozen=True, slots=True)
class Figures:
    """Over the last 7 days; `waiting` and `live` are now."""

    rollouts: int
    live: int
    finished_well: float | None
    waiting: int
    oldest_waiting_at: datetime | None
    cost_usd: float
    cost_known: bool


@dataclass(frozen=True, slots=True)
class Counted:
    """Rollouts of one agent and one status: how many, how many took a step or failed, and what they cost."""

    agent_id: int
    lifecycle: str
    waiting_for: str
    count: int
    tried: int
    cost_usd: float
    unknown_costs: int


def agent_rows(viewer: User, *, archived: bool = False) -> list[AgentRow]:
    """A row for each agent that the viewer may know of, last active first."""
    agents = list(agents_for(viewer).filter(archived_at__isnull=not archived))
    recent: dict[int, list[Rollout]] = {agent.pk: [] for agent in agents}
    for rollout in _last_rollouts(viewer, agents):
        recent[rollout.agent_id].append(rollout)
    week = _this_week(viewer)
    rows = [_row(agent, recent[agent.pk], [some for some in week if some.agent_id == agent.pk]) for agent in agents]
    return sorted(rows, key=lambda row: row.last_active_at or row.agent.created_at, reverse=True)


def figures_for(viewer: User) -> Figures:
    """The figures over the list."""
    week = _this_week(viewer)
    visible = Rollout.objects.visible_to(viewer)
    asking = visible.filter(lifecycle="waiting", waiting_for="approval").order_by("created_at")
    first = asking.first()
    return Figures(
        rollouts=sum(some.count for some in week),
        live=visible.filter(lifecycle__in=LIVE).count(),
        finished_well=_share_well([(status_of(some), some.tried) for some in week]),
        waiting=asking.count(),
        oldest_waiting_at=_time(first.created_at) if first else None,
        cost_usd=sum(some.cost_usd for some in week),
        cost_known=not any(some.unknown_costs for some in week),
    )


def _last_rollouts(viewer: User, agents: Iterable[Agent]) -> QuerySet[Rollout]:
    last_event = Event.objects.filter(rollout=OuterRef("pk"), seq=OuterRef("next_seq") - 1)
    number = Window(RowNumber(), partition_by=F("agent"), order_by=F("pk").desc())
    return (
        Rollout.objects.visible_to(viewer)
        .filter(agent__in=list(agents))
        .annotate(number=number)
        .filter(number__lte=SHOWN_ROLLOUTS)
        .annotate(last_event_at=Subquery(last_event.values("at")[:1]))
        .order_by("pk")
    )


def _this_week(viewer: User) -> list[Counted]:
    since = int((timezone.now() - WEEK).timestamp() * 1_000_000)
    groups = (
        Rollout.objects.visible_to(viewer)
        .filter(created_at__gte=since)
        .values("agent_id", "lifecycle", "waiting_for")
        .annotate(
            count=Count("pk"),
            tried=Count("pk", filter=Q(steps__gt=0) | Q(lifecycle="failed")),
            cost_usd=Sum("cost_usd"),
            unknown_costs=Count("pk", filter=Q(cost_known=False)),
        )
    )
    return [Counted(**group) for group in groups]


def _row(agent: Agent, last: Sequence[Rollout], week: Sequence[Counted]) -> AgentRow:
    facts = facts_of(agent.draft)
    live_number, live_text = _live(agent)
    seconds = [_seconds(rollout) for rollout in last]
    times = zip(last, seconds, strict=True)
    ended = [time for rollout, time in times if rollout.steps and rollout.lifecycle not in LIVE]
    return AgentRow(
        agent=agent,
        model=facts.model or facts_of(live_text or "").model,
        tags=tuple(str(tag) for tag in agent.tags),
        live_number=live_number,
        is_edited=live_text is not None and live_text != agent.draft,
        bars=tuple(_bar(rollout, time, max(seconds)) for rollout, time in zip(last, seconds, strict=True)),
        finished_well=_share_well([(status_of(one), int(one.steps > 0 or one.lifecycle == "failed")) for one in last]),
        typical_seconds=median(ended) if ended else None,
        cost_usd=sum(some.cost_usd for some in week),
        cost_known=not any(some.unknown_costs for some in week),
        live_count=sum(rollout.lifecycle in LIVE for rollout in last),
        last_active_at=max((_time(_last_at(rollout)) for rollout in last), default=None),
    )


def _live(agent: Agent) -> tuple[int | None, str | None]:
    """What `agents_for` wrote beside the agent: number and text of the version that runs."""
    return getattr(agent, "live_number", None), getattr(agent, "live_text", None)


def _bar(rollout: Rollout, seconds: float, longest: float) -> Bar:
    height = max(1, round(10 * seconds / longest)) if longest else 1
    return Bar(rollout.public_id, status_of(rollout), seconds, height)


def status_of(rollout: Rollout | Counted) -> str:
    """The lifecycle in the words of the sparkline; a rollout that waits for the next message has finished its turn."""
    match rollout.lifecycle:
        case "queued" | "running":
            return "running"
        case "failed":
            return "failed"
        case "cancelled":
            return "stopped"
        case "paused":
            return "waiting"
        case "waiting" if rollout.waiting_for != "input":
            return "waiting"
        case _:
            return "finished"


def _share_well(tried: Sequence[tuple[str, int]]) -> float | None:
    """Of those that came to an end or to the end of a turn, the share that did not fail; stopped ones are left out."""
    well = sum(count for status, count in tried if status == "finished")
    failed = sum(count for status, count in tried if status == "failed")
    return 100 * well / (well + failed) if well + failed else None


def _seconds(rollout: Rollout) -> float:
    return max(0.0, (_last_at(rollout) - rollout.created_at) / 1_000_000)


def _last_at(rollout: Rollout) -> int:
    return getattr(rollout, "last_event_at", None) or rollout.created_at


def _time(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC)
