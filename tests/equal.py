"""When two trajectories are equal: apart from attempts that a kill cut off, times, ids, hashes, and the order of
results within one batch (`runtime.md`, 12)."""

from collections.abc import Collection, Sequence
from typing import Any

from runtime.domain.events import AbortWhy, StepAborted
from runtime.domain.trajectory import Event

_DIFFERS = {
    "step.started": {"attempt", "seen", "prompt_sha256"},
    "step.completed": {"ms", "ms_to_first_token"},
    "tool.result": {"ms", "attempts"},
    "tool.started": {"attempt"},
    "rollout.started": {"by"},
}


def normalised(events: Sequence[Event], without: Collection[str] = ()) -> list[tuple[Any, ...]]:
    """The trajectory as a list that two equal ones share; types in `without` are left out."""
    facts = [_fact(event) for event in _without_cut_attempts(events) if event.type not in without]
    return _batches_sorted(_without_repeats(facts))


def _without_cut_attempts(events: Sequence[Event]) -> list[Event]:
    """Drops each `step.aborted` of a restart with the `step.started` that it ends."""
    kept: list[Event] = []
    for event in events:
        if isinstance(event.payload, StepAborted) and event.payload.why is AbortWhy.RESTART:
            last = max(index for index, earlier in enumerate(kept) if earlier.type == "step.started")
            del kept[last]
        else:
            kept.append(event)
    return kept


def _fact(event: Event) -> tuple[Any, ...]:
    payload = event.payload.model_dump(mode="json", exclude=_DIFFERS.get(event.type, set()), exclude_defaults=True)
    return (event.type, event.source, event.step, repr(sorted(payload.items())))


def _without_repeats(facts: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """A call that may run again leaves one `tool.started` for each owner."""
    kept: list[tuple[Any, ...]] = []
    for fact in facts:
        if fact[0] == "tool.started" and fact in kept:
            continue
        kept.append(fact)
    return kept


def _batches_sorted(facts: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Results and starts of one batch in one order."""
    result: list[tuple[Any, ...]] = []
    run: list[tuple[Any, ...]] = []
    for fact in [*facts, ("end",)]:
        if fact[0] in ("tool.result", "tool.started"):
            run.append(fact)
            continue
        result += [*sorted(run, key=repr), fact]
        run = []
    return result[:-1]
