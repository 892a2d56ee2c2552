"""When two trajectories are equal: apart from attempts that a kill cut off, times, ids, hashes, and the order of
results within one batch (`runtime.md`, 12)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from runtime.domain.trajectory import Event

_DIFFERS = {
    "step.started": {"attempt", "seen", "prompt_sha256"},
    "step.completed": {"ms", "ms_to_first_token"},
    "tool.result": {"ms", "attempts"},
    "tool.started": {"attempt"},
    "rollout.started": {"by"},
    "approval.request": {"expires_at"},
    "timer.set": {"due_at"},
    "timer.trigger": {"due_at"},
}

Fact = tuple[str, ...]


def normalised(events: Sequence[Event], without: Collection[str] = ()) -> list[Fact]:
    """The trajectory as a list that two equal ones share; types in `without` are left out."""
    return normalised_json(
        [
            {
                "type": event.type,
                "source": event.source,
                "step": event.step,
                "payload": event.payload.model_dump(mode="json", exclude={"type"}, exclude_defaults=True),
            }
            for event in events
        ],
        without,
    )


def normalised_json(envelopes: Sequence[Mapping[str, Any]], without: Collection[str] = ()) -> list[Fact]:
    """The same of event envelopes, as AMP gives them."""
    kept = [_fact(it) for it in _without_cut_attempts(envelopes) if it["type"] not in without]
    return _batches_sorted(_without_repeats(kept))


def _without_cut_attempts(envelopes: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Drops each `step.aborted` of a restart with the `step.started` that it ends."""
    kept: list[Mapping[str, Any]] = []
    for envelope in envelopes:
        if envelope["type"] == "step.aborted" and envelope["payload"]["why"] == "restart":
            last = max(index for index, earlier in enumerate(kept) if earlier["type"] == "step.started")
            del kept[last]
        else:
            kept.append(envelope)
    return kept


def _fact(envelope: Mapping[str, Any]) -> Fact:
    payload = {
        key: value for key, value in envelope["payload"].items() if key not in _DIFFERS.get(envelope["type"], ())
    }
    return (envelope["type"], str(envelope["source"]), str(envelope["step"]), repr(sorted(payload.items())))


def _without_repeats(facts: list[Fact]) -> list[Fact]:
    """A call that may run again leaves one `tool.started` for each owner."""
    kept: list[Fact] = []
    for fact in facts:
        if fact[0] == "tool.started" and fact in kept:
            continue
        kept.append(fact)
    return kept


def _batches_sorted(facts: list[Fact]) -> list[Fact]:
    """Results, those of sub-agents included, and starts of one batch in one order."""
    result: list[Fact] = []
    run: list[Fact] = []
    for fact in [*facts, ("end",)]:
        if fact[0] in ("tool.result", "tool.started") or (fact[0] == "agent.input" and "('call_id'," in fact[3]):
            run.append(fact)
            continue
        result += [*sorted(run), fact]
        run = []
    return result[:-1]
