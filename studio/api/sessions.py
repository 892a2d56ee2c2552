"""`/sessions`: made, listed, read, renamed, put away, deleted."""

from typing import Any, Literal

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from ninja import Router, Status

from studio.api.asking import key_of, origin, person
from studio.api.shapes import NewSession, SessionChange, SessionControl
from studio.errors import Refused
from studio.models import AmpSession
from studio.queries.instants import microseconds_of, moment
from studio.queries.sessions import found_sessions, session_detail, session_for, session_summary
from studio.services.content import fit_text
from studio.services.control import control_session
from studio.services.sessions import (
    Start,
    archive_session,
    delete_session,
    rename_session,
    start,
    unarchive_session,
)

router = Router(tags=["sessions"])
MOST = 100


@router.post("/sessions", url_name="sessions", response={201: dict})
def create(request: HttpRequest, body: NewSession) -> Any:
    """A new session with the rollout of its agent and, with an input, its first waiting message."""
    user = person(request)
    created = start(user, Start(**body.model_dump()), key_of(request))
    return Status(201, session_detail(session_for(user, created.session)))


@router.get("/sessions", url_name="sessions")
def listed(
    request: HttpRequest,
    state: Literal["open", "archived", ""] = "",
    agent: str = "",
    q: str = "",
    cursor: str = "",
    limit: int = 50,
) -> dict[str, Any]:
    """Those that the caller may see, the last used first, with the cursor of the next page or null."""
    found = found_sessions(person(request), state=state, agent=fit_text(agent), words=fit_text(q))
    size = max(1, min(limit, MOST))
    page = list(_after(found, cursor)[: size + 1])
    more = page[size - 1] if len(page) > size else None
    next_cursor = f"{microseconds_of(more.last_at)}-{more.pk}" if more else None
    return {"sessions": [session_summary(session) for session in page[:size]], "next": next_cursor}


@router.get("/sessions/{session}", url_name="session")
def read(request: HttpRequest, session: str) -> dict[str, Any]:
    """One session with its participants and rollouts."""
    return session_detail(session_for(person(request), session))


@router.patch("/sessions/{session}", url_name="session")
def change(request: HttpRequest, session: str, body: SessionChange) -> dict[str, Any]:
    """Another title, or into and out of the archive."""
    user = person(request)
    found = session_for(user, session)
    if body.title is not None:
        rename_session(user, found, body.title)
    if body.archived is not None:
        (archive_session if body.archived else unarchive_session)(user, found)
    return session_detail(session_for(user, session))


@router.delete("/sessions/{session}", url_name="session", response={204: None})
def delete(request: HttpRequest, session: str) -> Any:
    """Erases every word of it, for good."""
    user = person(request)
    delete_session(user, session_for(user, session), origin=origin(request))
    return Status(204, None)


@router.post("/sessions/{session}/control", url_name="session-control")
def control(request: HttpRequest, session: str, body: SessionControl) -> dict[str, Any]:
    """Pauses, resumes or cancels every agent of the session; taken at once."""
    user = person(request)
    found = session_for(user, session)
    accepted = control_session(user, found, body.action, body.reason, key_of(request), origin=origin(request))
    return {"rollouts": [{"id": item.id, "rollout": item.rollout} for item in accepted]}


def _after(found: QuerySet[AmpSession], cursor: str) -> QuerySet[AmpSession]:
    if not cursor:
        return found
    at, _, pk = cursor.partition("-")
    if not (at.isdecimal() and pk.isdecimal() and len(cursor) < 40):
        raise Refused("The cursor is not one that this list has given. Leave it out to begin anew.")
    last_at = moment(int(at) % 10**17)
    return found.filter(Q(last_at__lt=last_at) | Q(last_at=last_at, pk__lt=int(pk) % 2**62))
