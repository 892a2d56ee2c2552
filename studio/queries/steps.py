"""All that is recorded of one step."""

from collections.abc import Sequence
from typing import Any

from studio.models import Event, Rollout
from studio.queries.asked import with_asked
from studio.queries.shown import Placed, shown_to
from studio.queries.viewer import Viewer
from studio.store import trajectory
from studio.store.codes import TYPE_CODES

DECIDED, ANSWERED = TYPE_CODES["approval.decision"], TYPE_CODES["agent.input"]
OUTPUT, SAID = TYPE_CODES["agent.output"], TYPE_CODES["user.input"]
MOST_ANSWERS = 20


def envelopes_of_step(rollout: Rollout, viewer: Viewer, step: int) -> list[dict[str, Any]]:
    """The events of that step, also those that came long after it, the decisions about its calls, and their answers.

    `rollout` comes with session and agent.
    """
    rows = Event.objects.filter(rollout=rollout)
    of_step = rows.filter(step=step).order_by("seq").values_list("seq", flat=True)
    elsewhere = rows.filter(type__in=(DECIDED, ANSWERED)).order_by("seq").values_list("seq", flat=True)
    seqs = sorted({*of_step, *elsewhere, *_answers(rollout, list(of_step))})
    placed = [
        Placed(rollout.session.public_id, rollout.public_id, rollout.agent.name, event)
        for first, last in _spans(seqs)
        for event in trajectory(rollout.pk, first, last)
    ]
    envelopes = [shown_to(item, viewer) for item in placed]
    shown = with_asked([item for item in envelopes if not item.get("hidden")], viewer)
    return [item for item in shown if _belongs(item, step)]


def step_of_question(rollout: Rollout, person: str, before: int) -> int | None:
    """The step whose question to that person was the last one before this seq; None if nobody asked."""
    rows = Event.objects.filter(rollout=rollout, type=OUTPUT, seq__lt=before, payload__contains='"waits":true')
    asked = rows.filter(payload__contains=person).order_by("-seq")
    return asked.values_list("step", flat=True).first()


def _answers(rollout: Rollout, seqs: Sequence[int]) -> list[int]:
    """Where messages of people stand that may answer a question among these events."""
    waiting = Event.objects.filter(rollout=rollout, seq__in=seqs, type=OUTPUT, payload__contains='"waits":true')
    asked = waiting.order_by("seq").values_list("seq", flat=True).first()
    if asked is None:
        return []
    said = Event.objects.filter(rollout=rollout, type=SAID, seq__gt=asked).order_by("seq")
    return list(said.values_list("seq", flat=True)[:MOST_ANSWERS])


def _belongs(envelope: dict[str, Any], step: int) -> bool:
    if envelope["type"] in ("approval.decision", "agent.input"):
        return str(envelope["payload"].get("call_id", "")).partition(".")[0] == str(step)
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
