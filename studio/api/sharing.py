"""`/sessions/ID/shares`: the authors whom a session is shown to."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Status

from studio.api.asking import key_of, origin, person
from studio.api.errors import NotFound
from studio.api.shapes import NewShare
from studio.queries.sessions import session_for
from studio.queries.sharing import may_share, share_shown, shares_of
from studio.services.sharing import share_session, unshare_session

router = Router(tags=["participants"])


@router.get("/sessions/{session}/shares", url_name="shares", response={200: list})
def shares(request: HttpRequest, session: str) -> Any:
    """Whom the session is shown to; for its owner."""
    user = person(request)
    found = session_for(user, session)
    if not may_share(user, found):
        raise NotFound
    return [share_shown(share) for share in shares_of(found)]


@router.post("/sessions/{session}/shares", url_name="shares", response={201: dict})
def share(request: HttpRequest, session: str, body: NewShare) -> Any:
    """Shows it whole to an author; to whom it is shown already it stays so."""
    user = person(request)
    key_of(request)  # to share twice is to share once
    found = session_for(user, session)
    reader = share_session(user, found, body.user, origin=origin(request))
    return Status(201, share_shown(found.shares.select_related("user").get(user=reader)))


@router.delete("/sessions/{session}/shares/{user_id}", url_name="share", response={204: None})
def unshare(request: HttpRequest, session: str, user_id: str) -> Any:
    """Takes it back."""
    user = person(request)
    unshare_session(user, session_for(user, session), user_id, origin=origin(request))
    return Status(204, None)
