"""All that is recorded of one step."""

from typing import Any

from studio.models import Event, Rollout
from studio.queries.shown import Placed, shown_to
from studio.queries.viewer import Viewer
from studio.store import trajectory
from studio.store.codes import TYPE_CODES

DECIDED = TYPE_CODES["approval.decision"]


def envelopes_of_step(rollout: Rollout, viewer: Viewer, step: int) -> list[dict[str, Any]]:
    """The events of that step, also those that came long after it, and the decisions about its calls.

    `rollout` comes with session and agent.
    """
    rows = Event.objects.filter(rollout=rollout)
    of_step = rows.filter(step=step).order_by("seq").values_list("seq", flat=True)
    decided = rows.filter(type=DECIDED).order_by("seq").values_list("seq", flat=True)
    seqs = sorted({*of_step, *decided})
    placed = [
        Placed(rollout.session.public_id, rollout.public_id, rollout.agent.name, event)
        for first, last in _spans(seqs)
        for event in trajectory(rollout.pk, first, last)
    ]
    envelopes = [shown_to(item, viewer) for item in placed]
    return [item for item in envelopes if not item.get("hidden") and _belongs(item, step)]


def _belongs(envelope: dict[str, Any], step: int) -> bool:
    if envelope["type"] == "approval.decision":
        return str(envelope["payload"]["call_id"]).partition(".")[0] == str(step)
    return bool(envelope["step"] == step)


def _spans(seqs: list[int]) -> list[tuple[int, int]]:
    """Runs of numbers without a gap, so that each is one read."""
    spans: list[tuple[int, int]] = []
    for seq in seqs:
        if spans and seq == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], seq)
        else:
            spans.append((seq, seq))
    return spans
