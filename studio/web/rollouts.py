"""`/rollouts`: every rollout that the person may see."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from studio.models import Rollout
from studio.queries.instants import instant
from studio.queries.playground import Status, status_of
from studio.queries.rollout_rows import PERIODS, STATUSES, agent_names, found_rollouts
from studio.queries.rollouts import ticks_of
from studio.web.person import person

PAGE_SIZE = 50
TICK_WORDS = (("i", "came in"), ("x", "interrupts"), ("t", "thoughts"), ("a", "actions"))


@dataclass(frozen=True, slots=True)
class RolloutRow:
    """One line of the list."""

    rollout: Rollout
    status: Status
    ticks: list[str]
    sentence: str
    started_at: str
    seconds: float
    tokens: str

    @property
    def is_live(self) -> bool:
        return self.rollout.lifecycle in ("queued", "running")

    @property
    def is_long(self) -> bool:
        return self.rollout.events > len(self.ticks)


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a filter's menu; `href` is the list with it chosen, or without it if it was."""

    label: str
    href: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class RolloutFilter:
    q: str = ""
    agent: str = ""
    status: str = ""
    period: str = ""

    @classmethod
    def of(cls, query: QueryDict) -> "RolloutFilter":
        """What the query string asks for; what is not a choice is left out."""
        status, period = query.get("status", ""), query.get("period", "")
        return cls(
            q=query.get("q", "").strip()[:200],
            agent=query.get("agent", "")[:200],
            status=status if status in STATUSES else "",
            period=period if period in PERIODS else "",
        )

    @property
    def is_empty(self) -> bool:
        return self == RolloutFilter()

    def query(self, **changes: str) -> str:
        parts = {"q": self.q, "agent": self.agent, "status": self.status, "period": self.period, **changes}
        return urlencode({key: value for key, value in parts.items() if value})

    def menu(self, key: str, choices: dict[str, str]) -> list[Choice]:
        """The choices of one filter by value."""
        chosen = getattr(self, key)
        return [
            Choice(label, f"?{self.query(**{key: '' if value == chosen else value})}", value == chosen)
            for value, label in choices.items()
        ]


@require_safe
def rollouts(request: HttpRequest) -> HttpResponse:
    """The list; with htmx the next 50 rows, or the table alone."""
    viewer, chosen = person(request), RolloutFilter.of(request.GET)
    found = found_rollouts(viewer, agent=chosen.agent, status=chosen.status, period=chosen.period, words=chosen.q)
    page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {"page": page, "rows": rows_of(page), "filter": chosen, "query": chosen.query()}
    if request.headers.get("HX-Request") == "true":
        part = "rollouts/_rows.html" if "page" in request.GET else "rollouts/_table.html"
        return render(request, part, context)
    return render(request, "rollouts/list.html", context | _menus(chosen, agent_names(viewer)))


def rows_of(page: Page[Rollout]) -> list[RolloutRow]:
    return [_row(rollout) for rollout in page.object_list]


def _menus(chosen: RolloutFilter, agents: list[str]) -> dict[str, Any]:
    return {
        "agents": chosen.menu("agent", {name: name for name in agents}),
        "statuses": chosen.menu("status", {key: word for key, (word, _) in STATUSES.items()}),
        "periods": chosen.menu("period", {key: word for key, (word, _) in PERIODS.items()}),
        "status_word": STATUSES[chosen.status][0] if chosen.status else "",
        "period_word": PERIODS[chosen.period][0] if chosen.period else "",
    }


def _row(rollout: Rollout) -> RolloutRow:
    last_at = getattr(rollout, "last_at", None) or rollout.created_at
    counts = ", ".join(f"{rollout.tape.count(letter)} {word}" for letter, word in TICK_WORDS if letter in rollout.tape)
    return RolloutRow(
        rollout=rollout,
        status=status_of(rollout.lifecycle, rollout.waiting_for),
        ticks=ticks_of(rollout),
        sentence=f"{rollout.events} events: {counts}" if counts else "no events yet",
        started_at=instant(rollout.created_at),
        seconds=(last_at - rollout.created_at) / 1_000_000,
        tokens=_short(rollout.tokens_in + rollout.tokens_out),
    )


def _short(tokens: int) -> str:
    """`18.2k` from ten thousand on."""
    return f"{tokens / 1000:.1f}k" if tokens >= 10_000 else f"{tokens:,}"
