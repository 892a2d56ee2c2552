"""`/chat/ID/people`: who takes part in a session, and whom else it is shown to."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from studio.errors import StudioError
from studio.models import AmpSession, SessionState, User
from studio.queries.joining import agents_to_add, people_to_add
from studio.queries.sessions import participant_of, session_for
from studio.queries.sharing import may_share, possible_readers, shares_of
from studio.queries.viewer import viewer_of
from studio.services.audit import Actor
from studio.services.participants import add_agent, add_person, remove_participant
from studio.services.sharing import share_session, unshare_session
from studio.web.person import person
from studio.web.playground import sessions_beside
from studio.web.session_view import SessionView


@require_http_methods(["GET", "HEAD", "POST"])
def session_people(request: HttpRequest, public_id: str) -> HttpResponse:
    """The lists; a POST adds a person (`user`), an agent (`agent`) or a reader (`reader`)."""
    user = person(request)
    session = session_for(user, public_id)
    if request.method != "POST":
        return _page(request, user, session)
    try:
        messages.success(request, _added(request, user, session))
    except StudioError as error:
        return _page(request, user, session, str(error), error.status)
    return redirect("session-people", public_id)


@require_POST
def session_person_remove(request: HttpRequest, public_id: str, who: str) -> HttpResponse:
    """Ends a participation; whoever ends their own is led back to the playground."""
    user = person(request)
    session = session_for(user, public_id)
    joined = participant_of(session, who)
    if joined is None:
        raise Http404("They do not take part in this session any more.")
    remove_participant(user, session, joined, origin=Actor.of(request).origin)
    messages.success(
        request, "You have left the session" if joined.user == user else f"{joined.user or joined.agent} has left"
    )
    return redirect("playground") if joined.user == user else redirect("session-people", public_id)


@require_POST
def session_share_remove(request: HttpRequest, public_id: str, who: str) -> HttpResponse:
    """Shows the session to that author no longer."""
    user = person(request)
    unshare_session(user, session_for(user, public_id), who, origin=Actor.of(request).origin)
    messages.success(request, "Taken back. They see nothing of it any more")
    return redirect("session-people", public_id)


def _added(request: HttpRequest, user: User, session: AmpSession) -> str:
    """Does what was posted; what to say of it. Raises StudioError."""
    posted, origin = request.POST, Actor.of(request).origin
    if reader := posted.get("reader"):
        return f"{share_session(user, session, reader, origin=origin)} can read it all now"
    if who := posted.get("user"):
        return f"{add_person(user, session, who, origin=origin).user} takes part now"
    return f"{add_agent(user, session, posted.get('agent', ''), origin=origin).agent} takes part now"


def _page(request: HttpRequest, user: User, session: AmpSession, problem: str = "", status: int = 200) -> HttpResponse:
    view = SessionView(session, viewer_of(session, user), user)
    joined = list(session.participants.filter(left_at=None).select_related("user", "agent").order_by("pk"))
    context: dict[str, Any] = {
        **sessions_beside(request, session.public_id),
        "view": view,
        "problem": problem,
        "participants": joined,
        "may_change": view.may_keep and session.state == SessionState.OPEN,
        "may_share": may_share(user, session),
    }
    if context["may_change"]:
        context["people"] = people_to_add(user, session)
        context["agents"] = agents_to_add(user, session)
    if context["may_share"]:
        shares = list(shares_of(session))
        context["shares"] = shares
        context["readers"] = possible_readers(user, session).exclude(pk__in=[share.user_id for share in shares])
    return render(request, "playground/people.html", context, status=status)
