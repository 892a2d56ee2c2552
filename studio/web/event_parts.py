"""Frames of a session as the HTML that its pages put in place. The same partials make the page."""

from collections.abc import Mapping
from typing import Any, Protocol

from django.template.loader import render_to_string

from studio.models import AmpSession, Rollout, User
from studio.queries.steps import envelopes_of_step, step_of_question
from studio.queries.viewer import Viewer
from studio.web.conversation import Item, is_of_a_step, item_id, line_item, step_item, step_of
from studio.web.session_view import SessionView

RECORDED_WITH_THEIR_STEP = frozenset(("agent.thought", "agent.output", "agent.invocation", "tool.request"))
QUIET_RECORDS = frozenset(
    ["rollout.started", "step.started", "step.completed", "step.aborted", "tool.started", "context.compacted"]
)
"""Lifecycle records that the inspector leaves to the full trajectory."""


class FrameLike(Protocol):
    """A frame of `amp.md`: its name and its data."""

    @property
    def event(self) -> str: ...

    @property
    def data(self) -> Mapping[str, Any]: ...


def render_frame(frame: FrameLike, viewer: Viewer) -> dict[str, str]:
    """The parts that a frame changes, by the name of their place; empty if it changes none."""
    match frame.event:
        case "event":
            return render_event(frame.data, viewer)
        case "snapshot" | "status" | "pending":
            return render_surroundings(str(frame.data["rollout"]), viewer)
        case _:
            return {}


def render_event(event: Mapping[str, Any], viewer: Viewer) -> dict[str, str]:
    """The parts of one event's envelope, as `shown_to` gives it.

    `row`: its row in the inspector; `group`: the head of its step's rows; `tick`: its tick of the tape;
    `item`: the element `item_id` of the conversation, empty if nothing is left of it; `line`: a line beside that.
    """
    if event.get("hidden"):
        return {}
    parts = {"row": render_row(event)} if is_in_inspector(event) else {}
    if event["type"] in ("step.started", "step.completed", "step.aborted"):
        parts["group"] = render_group(event)
    if event["category"] != "lifecycle":
        parts["tick"] = render_to_string("playground/_tick.html", {"event": event})
    return parts | _items(event, viewer)


def render_row(event: Mapping[str, Any]) -> str:
    """The event as one row."""
    return render_to_string(row_template(event), {"event": event, "item": item_id(event)})


def row_template(event: Mapping[str, Any]) -> str:
    return f"trajectories/events/_{event['type'].replace('.', '_')}.html"


def render_group(event: Mapping[str, Any]) -> str:
    """The head of a step's rows: its number and what it took."""
    return render_to_string("playground/_group.html", {"event": event})


def is_in_inspector(event: Mapping[str, Any]) -> bool:
    return event["type"] not in QUIET_RECORDS


def render_item(item: Item) -> str:
    """One element of the conversation."""
    return render_to_string(item.part, {"id": item.id, "shown": item.shown})


def render_surroundings(rollout: str, viewer: Viewer) -> dict[str, str]:
    """What stands around the conversation, by the id of the element that each replaces."""
    session = AmpSession.objects.kept().filter(rollouts__public_id=rollout)
    found = session.select_related("project", "owner", "entry_agent").first()
    user = User.objects.filter(public_id=viewer.user).first()
    if found is None or user is None:
        return {}
    view = {"view": SessionView(found, viewer, user)}
    places = ("session-title", "session-status", "session-state", "session-actions", "rollouts", "limits", "queue")
    return {place: render_to_string(f"playground/_{place.replace('-', '_')}.html", view) for place in places}


def _items(event: Mapping[str, Any], viewer: Viewer) -> dict[str, str]:
    rollout = _rollout(event)
    is_child = rollout is not None and rollout.parent_id is not None
    parts: dict[str, str] = {}
    if not is_of_a_step(event):
        item = line_item(event, viewer, is_child=is_child)
        parts = {"item_id": item.id, "item": render_item(item)} if item else {}
        return parts | _answered(event, viewer, rollout)
    if event["type"] == "step.aborted" and (line := line_item(event, viewer, is_child=is_child)) is not None:
        parts["line"] = render_item(line)
    if event["type"] in RECORDED_WITH_THEIR_STEP:
        return parts  # the end of the step, which comes with it, shows them all
    step = step_of(event)
    return parts if step is None else parts | _step(step, viewer, rollout, is_child=is_child)


def _step(step: int, viewer: Viewer, rollout: Rollout | None, *, is_child: bool) -> dict[str, str]:
    if rollout is None:
        return {"item": ""}
    id_ = f"step-{rollout.public_id}-{step}"
    envelopes = envelopes_of_step(rollout, viewer, step)
    found = step_item(id_, envelopes, is_child=is_child) if envelopes else None
    return {"item_id": id_, "item": render_item(found) if found else ""}


def _answered(event: Mapping[str, Any], viewer: Viewer, rollout: Rollout | None) -> dict[str, str]:
    """The question that a message of a person answers, drawn anew."""
    step = (
        step_of_question(rollout, event["source"], event["seq"]) if rollout and event["type"] == "user.input" else None
    )
    if step is None or rollout is None:
        return {}
    asked = _step(step, viewer, rollout, is_child=rollout.parent_id is not None)
    return {"asked": asked["item"]} if asked["item"] else {}


def _rollout(event: Mapping[str, Any]) -> Rollout | None:
    return Rollout.objects.filter(public_id=event["rollout"]).select_related("session", "agent").first()
