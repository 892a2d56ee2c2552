"""All that is recorded of one step."""

from collections.abc import Sequence
from typing import Any

from runtime.domain.events import ToolRequest
from studio.models import Event, Rollout
from studio.queries.shown import Placed, shown_to
from studio.queries.viewer import Viewer
from studio.store import trajectory
from studio.store.codes import TYPE_CODES

DECIDED, REQUESTED = TYPE_CODES["approval.decision"], TYPE_CODES["tool.request"]


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
    return with_asked([item for item in envelopes if not item.get("hidden") and _belongs(item, step)], viewer)


def with_asked(envelopes: Sequence[dict[str, Any]], viewer: Viewer) -> list[dict[str, Any]]:
    """The same, each question that the viewer may decide with the exact arguments of its call under `asked`."""
    return [
        {**item, "asked": _arguments(item)} if not item.get("hidden") and may_decide(item, viewer) else item
        for item in envelopes
    ]


def may_decide(event: dict[str, Any], viewer: Viewer) -> bool:
    """Whether this is a question that the viewer may decide: as `Question.may_be_decided_by`."""
    if event["type"] != "approval.request":
        return False
    named = event["payload"]["approvers"]
    return viewer.supervises or viewer.user in named or (not named and viewer.is_participant)


def _arguments(event: dict[str, Any]) -> Any:
    """The arguments as given; their raw text if they were no JSON object."""
    rollout = Rollout.objects.filter(public_id=event["rollout"]).values_list("pk", flat=True)[0]
    rows = Event.objects.filter(rollout=rollout, type=REQUESTED, step=event["step"]).order_by("seq")
    for seq in rows.values_list("seq", flat=True):
        request = trajectory(rollout, seq, seq)[0].payload
        if isinstance(request, ToolRequest) and request.call_id == event["payload"]["call_id"]:
            return request.args_raw if request.args is None else request.args
    return None


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
