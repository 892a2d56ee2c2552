"""Frames of a session as the HTML that its pages put in place. The same partials make the page."""

from collections.abc import Mapping
from typing import Any, Protocol

from django.template import TemplateDoesNotExist
from django.template.loader import render_to_string

from studio.queries.viewer import Viewer


class FrameLike(Protocol):
    """A frame of `amp.md`: its name and its data."""

    @property
    def event(self) -> str: ...

    @property
    def data(self) -> Mapping[str, Any]: ...


def render_frame(frame: FrameLike, viewer: Viewer) -> dict[str, str]:
    """The parts that a frame changes, by the name of their place; empty if it changes none."""
    return render_event(frame.data, viewer) if frame.event == "event" else {}


def render_event(event: Mapping[str, Any], viewer: Viewer) -> dict[str, str]:
    """The parts of one event's envelope, as `shown_to` gives it: `row` for the trajectory."""
    if event.get("hidden"):
        return {}
    try:
        return {"row": render_to_string(f"trajectories/events/_{event['type']}.html", {"event": event})}
    except TemplateDoesNotExist:
        return {}
