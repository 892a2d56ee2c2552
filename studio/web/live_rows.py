"""The rows of `/live`: rollouts with those that they called under them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from runtime.domain.totals import TAPE_LENGTH
from studio.models import Rollout
from studio.queries.harmless import harmless_text
from studio.queries.instants import instant
from studio.queries.playground import Status, status_of
from studio.queries.rollouts import ticks_of
from studio.templatetags.quantities import usd
from studio.web.event_words import one_line

NEAR, OVER = 80, 95


@dataclass(frozen=True, slots=True)
class LiveRow:
    """One rollout; `depth` 0 for one that people speak to. `share` of its budget in percent, None without one."""

    rollout: Rollout
    depth: int
    status: Status
    ticks: list[str]
    doing: str
    began_at: str
    last_at: str
    share: int | None
    spent: str

    @property
    def is_live(self) -> bool:
        return self.rollout.lifecycle in ("queued", "running")

    @property
    def is_long(self) -> bool:
        return self.rollout.events > TAPE_LENGTH

    @property
    def level(self) -> str:
        return "" if self.share is None else "over" if self.share >= OVER else "near" if self.share >= NEAR else ""

    @property
    def sentence(self) -> str:
        return f"{self.rollout.events} events, {self.status.word}"

    def has(self, words: str) -> bool:
        """Whether agent, person, session or id has all of these words."""
        session = self.rollout.session
        text = f"{self.rollout.agent.name} {session.owner} {session.title} {self.rollout.public_id}".lower()
        return all(word in text for word in words.split())


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of each sort, for the head of the page."""

    all: int
    running: int
    waiting: int
    paused: int
    failed: int
    needs: int

    @classmethod
    def of(cls, rows: Iterable[LiveRow]) -> "Counts":
        rollouts = [row.rollout for row in rows]
        lifecycles = [rollout.lifecycle for rollout in rollouts]
        return cls(
            all=len(rollouts),
            running=sum(one in ("queued", "running") for one in lifecycles),
            waiting=sum(rollout.lifecycle == "waiting" and rollout.waiting_for == "approval" for rollout in rollouts),
            paused=lifecycles.count("paused"),
            failed=lifecycles.count("failed"),
            needs=sum(needs_somebody(rollout) for rollout in rollouts),
        )


def needs_somebody(rollout: Rollout) -> bool:
    """Whether it does not go on without a person."""
    is_asking = rollout.lifecycle == "waiting" and rollout.waiting_for == "approval"
    return is_asking or rollout.lifecycle in ("paused", "failed")


def live_rows(rollouts: Iterable[Rollout], *, needs_first: bool = True) -> list[LiveRow]:
    """Those that need somebody first if that is wanted, then the newest; each with its sub-agents under it."""
    found = sorted(rollouts, key=lambda rollout: -rollout.created_at)
    if needs_first:
        found = _needy_first(found)
    ids = {rollout.pk for rollout in found}
    children: dict[int, list[Rollout]] = {}
    for rollout in sorted(found, key=lambda rollout: rollout.pk):
        if rollout.parent_id in ids:
            children.setdefault(rollout.parent_id, []).append(rollout)
    tops = [rollout for rollout in found if rollout.parent_id not in ids]
    return [_row(rollout, depth) for top in tops for rollout, depth in _tree(top, children, 0)]


def _needy_first(rollouts: Sequence[Rollout]) -> list[Rollout]:
    """Those first that need somebody themselves, or called an agent that does."""
    needing = {rollout.pk for rollout in rollouts if needs_somebody(rollout)}
    parents = {rollout.pk: rollout.parent_id for rollout in rollouts}
    for pk in tuple(needing):
        above = parents.get(pk)
        while above is not None and above not in needing:
            needing.add(above)
            above = parents.get(above)
    return sorted(rollouts, key=lambda rollout: rollout.pk not in needing)


def _tree(rollout: Rollout, children: dict[int, list[Rollout]], depth: int) -> Iterator[tuple[Rollout, int]]:
    yield rollout, depth
    for child in children.get(rollout.pk, ()):
        yield from _tree(child, children, depth + 1)


def _row(rollout: Rollout, depth: int) -> LiveRow:
    last_at = getattr(rollout, "last_at", None) or rollout.created_at
    return LiveRow(
        rollout=rollout,
        depth=depth,
        status=status_of(rollout.lifecycle, rollout.waiting_for),
        ticks=ticks_of(rollout),
        doing=harmless_text(one_line(rollout.error or _doing(rollout)), f"the last words of {rollout.public_id}"),
        began_at=instant(rollout.created_at),
        last_at=instant(last_at),
        share=_share(rollout),
        spent=usd(rollout.cost_usd) if rollout.cost_known else f"{rollout.tokens_in + rollout.tokens_out:,} tokens",
    )


def _doing(rollout: Rollout) -> str:
    if rollout.lifecycle == "running" and rollout.steps:
        return f"llm_{rollout.steps - 1} · {rollout.last_text}" if rollout.last_text else f"llm_{rollout.steps - 1}"
    return rollout.last_text


def _share(rollout: Rollout) -> int | None:
    shares = []
    if rollout.budget_tokens:
        shares.append(rollout.tree_tokens / rollout.budget_tokens)
    if rollout.budget_usd:
        shares.append(rollout.tree_usd / rollout.budget_usd)
    return min(100, round(100 * max(shares))) if shares else None
