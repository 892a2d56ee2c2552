"""What a question shows to those who may decide or answer it, beside what its event says."""

from collections.abc import Collection, Sequence
from typing import Any

from runtime.domain.events import ApprovalWhy, ToolRequest
from studio.models import Event, Rollout
from studio.queries.approvers import is_asked
from studio.queries.known import tool_spec
from studio.queries.questions import questions_of
from studio.queries.rollouts import ENDED
from studio.queries.viewer import Viewer
from studio.store import trajectory
from studio.store.codes import TYPE_CODES

REQUESTED = TYPE_CODES["tool.request"]


def with_asked(envelopes: Sequence[dict[str, Any]], viewer: Viewer) -> list[dict[str, Any]]:
    """The same, each question that the viewer may decide with `asked`, and those to one person with their answer.

    `asked`: the exact `args` of the call, what the tool is `about`, its `schema`, and who looks (`viewer`). Questions
    that nobody can decide any more, since their rollout has ended, are `too_late`.
    """
    questions = [item for item in envelopes if not item.get("hidden") and item["type"] == "approval.request"]
    ended = _ended({item["rollout"] for item in questions})
    return _with_answers([_with_question(item, viewer, ended) for item in envelopes], viewer)


def _with_question(item: dict[str, Any], viewer: Viewer, ended: Collection[str]) -> dict[str, Any]:
    if item.get("hidden") or item["type"] != "approval.request":
        return item
    asked = {"asked": _asked(item, viewer)} if may_decide(item, viewer) else {}
    return {**item, **asked, "too_late": item["rollout"] in ended}


def _ended(rollouts: Collection[str]) -> Collection[str]:
    """Those that have ended, by public id."""
    found = Rollout.objects.filter(public_id__in=rollouts, lifecycle__in=ENDED)
    return set(found.values_list("public_id", flat=True)) if rollouts else ()


def may_decide(event: dict[str, Any], viewer: Viewer) -> bool:
    """Whether this is a question that the viewer may decide: as `Question.may_be_decided_by`."""
    return event["type"] == "approval.request" and is_asked(event["payload"]["approvers"], viewer)


def schema_of(tool: str, rollout: str) -> dict[str, Any] | None:
    """The JSON Schema of a tool's arguments in the project of a rollout; None for one that is not known there."""
    spec = tool_spec(tool, rollout)
    return dict(spec.schema) if spec else None


def _about(tool: str, rollout: str) -> str:
    spec = tool_spec(tool, rollout)
    return spec.description.strip().split("\n", 1)[0] if spec else ""


def _asked(event: dict[str, Any], viewer: Viewer) -> dict[str, Any]:
    request = _request(event)
    if request is None:
        return {"args": None, "viewer": viewer.user}
    return {
        "args": _args(event, request),
        "about": _about(request.tool, event["rollout"]),
        "schema": schema_of(request.tool, event["rollout"]),
        "viewer": viewer.user,
        "may": event["payload"].get("requested_by", "") != viewer.user,
    }


def _args(event: dict[str, Any], request: ToolRequest) -> Any:
    """The arguments that the question is about: the model's own, or as somebody who approved it before edited them."""
    if request.args is None:
        return request.args_raw
    if event["payload"]["why"] != ApprovalWhy.UNKNOWN_OUTCOME:
        return request.args
    questions = questions_of(Rollout.objects.get(public_id=event["rollout"]))
    return next((question.args for question in questions if question.seq == event["seq"]), request.args)


def _request(event: dict[str, Any]) -> ToolRequest | None:
    """The call that the question is about."""
    rollout = Rollout.objects.filter(public_id=event["rollout"]).values_list("pk", flat=True)[0]
    rows = Event.objects.filter(rollout=rollout, type=REQUESTED, step=event["step"]).order_by("seq")
    for seq in rows.values_list("seq", flat=True):
        request = trajectory(rollout, seq, seq)[0].payload
        if isinstance(request, ToolRequest) and request.call_id == event["payload"]["call_id"]:
            return request
    return None


def _with_answers(envelopes: list[dict[str, Any]], viewer: Viewer) -> list[dict[str, Any]]:
    """Each output that waits, with the payload of its answer if that has come: the next message of who was asked."""
    open_: dict[tuple[str, str], int] = {}
    for place, event in enumerate(envelopes):
        payload = event.get("payload", {})
        if event.get("type") == "agent.output" and payload.get("waits"):
            envelopes[place] = {**event, "mine": payload["to"] == viewer.user}
            open_[event["rollout"], payload["to"]] = place
        elif (
            event.get("type") == "user.input"
            and (at := open_.pop((event["rollout"], event["source"]), None)) is not None
        ):
            envelopes[at] = {**envelopes[at], "answered": payload}
    return envelopes
