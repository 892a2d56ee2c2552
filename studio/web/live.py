"""`/live`: what agents do now, and what supervisors may do about it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from studio.errors import NotAllowed, NotFitting, StudioError
from studio.models import Rollout
from studio.queries.escalations import open_escalations
from studio.queries.live import live_rollouts, supervised_rollouts, supervises_somewhere
from studio.services.audit import Actor
from studio.services.client_event import ClientEvent
from studio.services.control import control_rollout, raise_limit, set_state
from studio.services.messages import post_event
from studio.web.inbox import escalation_row
from studio.web.live_panel import panel_of
from studio.web.live_rows import Counts, live_rows, needs_somebody
from studio.web.live_several import DONE
from studio.web.person import person
from studio.web.posts import key_of, text_of

SAID = {
    "instruct": "Instruction sent",
    "instruct_all": "Instruction sent to every agent of the session",
    "pause": "Paused",
    "resume": "Resumed",
    "cancel": "Cancelled",
    "retry": "Tried again",
    "set_state": "The state was set",
    "raise_limit": "The limit was raised",
}


@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """The list; one rollout beside it if it is chosen."""
    return _page(request, request.GET.get("r", ""))


@require_POST
def live_act(request: HttpRequest, public_id: str) -> HttpResponse:
    """One act of a supervisor on one rollout."""
    rollout = supervised_rollouts(person(request)).filter(public_id=public_id).first()
    if rollout is None:
        _must_supervise(request)
        raise Http404("There is no such rollout, it has ended, or it is not yours to supervise.")
    action = request.POST.get("action", "")
    act = _ACTS.get(action, _control)
    try:
        act(request, rollout)
    except StudioError as error:
        return _page(request, public_id, str(error), error.status)
    messages.success(request, SAID.get(action, "Done"))
    return redirect(f"{reverse('live')}?r={public_id}")


def _page(request: HttpRequest, chosen: str, problem: str = "", status: int = 200) -> HttpResponse:
    _must_supervise(request)
    user, words, show = person(request), request.GET.get("q", "").strip().lower()[:200], request.GET.get("show", "")
    is_newest_first = request.GET.get("sort") == "new"
    rows = live_rows(live_rollouts(user), needs_first=not is_newest_first)
    counts = Counts.of(rows)
    rollout = supervised_rollouts(user).filter(public_id=chosen).first() if chosen else None
    context = {
        "rows": [row for row in rows if row.has(words) and (show != "needs" or needs_somebody(row.rollout))],
        "counts": counts,
        "words": words,
        "show": show,
        "sort": "new" if is_newest_first else "",
        "pausable": sum(row.rollout.lifecycle not in ("paused", "failed") for row in rows),
        "done": request.session.pop(DONE, None),
        "escalations": [escalation_row(item) for item in open_escalations(user)],
        "panel": panel_of(rollout, user) if rollout is not None else None,
        "chosen": chosen,
        "problem": problem,
        "typed": request.POST.get("content", ""),
    }
    return render(request, "live/list.html", context, status=status)


def _must_supervise(request: HttpRequest) -> None:
    if not supervises_somewhere(person(request)):
        raise NotAllowed("watch what agents do now", "a supervisor")


def _control(request: HttpRequest, rollout: Rollout) -> None:
    action, reason = request.POST.get("action", ""), text_of(request, "reason")
    origin = Actor.of(request).origin
    control_rollout(person(request), rollout, action, reason, key_of(request), origin=origin)


def _instruct(request: HttpRequest, rollout: Rollout) -> None:
    to = "*" if request.POST.get("action") == "instruct_all" else rollout.public_id
    queued = request.POST.get("when") == "later"
    event = ClientEvent("supervisor.instruction", text_of(request, "content"), to, payload={"queued": queued})
    post_event(person(request), rollout.session, event, key_of(request))


def _set_state(request: HttpRequest, rollout: Rollout) -> None:
    state, reason = request.POST.get("state", ""), text_of(request, "reason")
    origin = Actor.of(request).origin
    set_state(person(request), rollout, state, reason=reason, key=key_of(request), origin=origin)


def _raise_limit(request: HttpRequest, rollout: Rollout) -> None:
    limit, reason = request.POST.get("limit", ""), text_of(request, "reason")
    try:
        value = float(request.POST.get("value", ""))
    except ValueError:
        raise NotFitting("Write the new limit as a number.") from None
    origin = Actor.of(request).origin
    raise_limit(person(request), rollout, limit, value, reason=reason, key=key_of(request), origin=origin)


_ACTS: dict[str, Callable[[HttpRequest, Rollout], Any]] = {
    "instruct": _instruct,
    "instruct_all": _instruct,
    "set_state": _set_state,
    "raise_limit": _raise_limit,
}
