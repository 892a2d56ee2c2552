"""`/sessions/ID/events`: what clients send, and what was recorded."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Status

from studio.api.asking import key_of, person
from studio.api.shapes import NewEvent
from studio.queries.acceptance import state_of_accepted
from studio.queries.events import MOST, envelopes_after
from studio.queries.sessions import session_for
from studio.queries.viewer import viewer_of
from studio.services.client_event import ClientEvent
from studio.services.messages import post_event

router = Router(tags=["events"])
MAX_POS = 2**53


@router.post("/sessions/{session}/events", url_name="events", response={202: dict})
def send(request: HttpRequest, session: str, body: NewEvent) -> Any:
    """Accepts an event: it is in the pending queue, for good, when the answer comes."""
    user = person(request)
    accepted = post_event(user, session_for(user, session), ClientEvent(**body.model_dump()), key_of(request))
    state = state_of_accepted(accepted) if accepted.repeated else "pending"
    return Status(202, {"id": accepted.id, "rollout": accepted.rollout, "state": state})


@router.get("/sessions/{session}/events", url_name="events")
def listed(request: HttpRequest, session: str, after: int = 0, limit: int = 200, types: str = "") -> dict[str, Any]:
    """Recorded events of all rollouts by `pos`, and the cursor of the next page (null at the end)."""
    user = person(request)
    found = session_for(user, session)
    after, size = max(0, min(after, MAX_POS)), max(1, min(limit, MOST))
    chosen = frozenset(name for name in types.split(",") if name)
    events, cursor = envelopes_after(found, viewer_of(found, user), after=after, limit=size, types=chosen)
    return {"events": events, "next": cursor if cursor < found.next_pos - 1 else None}
