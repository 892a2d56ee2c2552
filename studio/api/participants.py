"""`/sessions/ID/participants`: who takes part."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Status

from studio.api.asking import key_of, origin, person
from studio.api.errors import NotFound
from studio.api.shapes import NewParticipant
from studio.errors import NotFitting
from studio.queries.sessions import participant_of, participant_shown, session_for
from studio.services.participants import add_agent, add_person, remove_participant

router = Router(tags=["participants"])


@router.post("/sessions/{session}/participants", url_name="participants", response={201: dict})
def join(request: HttpRequest, session: str, body: NewParticipant) -> Any:
    """Lets a person or an agent take part; whoever does already stays."""
    user = person(request)
    key_of(request)  # to join twice is to join once
    found = session_for(user, session)
    if bool(body.user) == bool(body.agent):
        raise NotFitting("Name either a user or an agent.")
    add = add_person if body.user else add_agent
    return Status(201, participant_shown(add(user, found, body.user or body.agent or "", origin=origin(request))))


@router.delete("/sessions/{session}/participants/{participant}", url_name="participant", response={204: None})
def leave(request: HttpRequest, session: str, participant: str) -> Any:
    """Ends a participation."""
    user = person(request)
    found = session_for(user, session)
    joined = participant_of(found, participant)
    if joined is None:
        raise NotFound
    remove_participant(user, found, joined, origin=origin(request))
    return Status(204, None)
