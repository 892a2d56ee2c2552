"""One question of an agent to its supervisors, with a field for the answer."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from studio.errors import StudioError
from studio.queries.escalations import Escalation, open_escalations
from studio.queries.rollouts import ticks_of
from studio.services.client_event import ClientEvent
from studio.services.messages import post_event
from studio.web.approval_detail import quotes
from studio.web.inbox import escalation_row, waiting_rows
from studio.web.person import person
from studio.web.posts import key_of, text_of


@require_safe
def escalation(request: HttpRequest, escalation_id: str) -> HttpResponse:
    """The question, beside the list of what waits."""
    return _page(request, _escalation(request, escalation_id))


@require_POST
def escalation_answer(request: HttpRequest, escalation_id: str) -> HttpResponse:
    """An instruction to the agent that asked: now, or (`queued`) when its step ends."""
    found = _escalation(request, escalation_id)
    content, queued = text_of(request, "content"), request.POST.get("when") == "later"
    event = ClientEvent("supervisor.instruction", content, found.rollout.public_id, payload={"queued": queued})
    try:
        post_event(person(request), found.rollout.session, event, key_of(request))
    except StudioError as error:
        return _page(request, found, str(error), error.status)
    messages.success(request, f"Told {found.rollout.agent.name}")
    return redirect("approvals")


def _page(request: HttpRequest, found: Escalation, problem: str = "", status: int = 200) -> HttpResponse:
    user = person(request)
    rows = waiting_rows(user)
    context = {
        "rows": rows,
        "current": found.id,
        "tab": "waiting",
        "waiting_count": len(rows),
        "escalation": found,
        "row": escalation_row(found),
        "quotes": quotes(found.rollout, user, found.seq),
        "ticks": ticks_of(found.rollout),
        "problem": problem,
        "content": request.POST.get("content", ""),
    }
    return render(request, "approvals/escalation.html", context, status=status)


def _escalation(request: HttpRequest, escalation_id: str) -> Escalation:
    found = next((item for item in open_escalations(person(request)) if item.id == escalation_id), None)
    if found is None:
        raise Http404("There is no such question, it was answered, or it is not yours to see.")
    return found
