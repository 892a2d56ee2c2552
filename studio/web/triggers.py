"""The triggers of one agent: addresses, times, what came through them, and trying them."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from studio.errors import StudioError
from studio.models import Agent, Trigger
from studio.queries.triggers import trigger_for, triggers_for
from studio.services.audit import Actor
from studio.services.triggers import switch_trigger, try_trigger
from studio.services.webhooks import sample_body
from studio.web.editor import writable_agent
from studio.web.person import person
from studio.web.posts import text_of

BACK = "agent-triggers"


@require_safe
def agent_triggers(request: HttpRequest, name: str) -> HttpResponse:
    """All triggers of the newest published version."""
    return _page(request, writable_agent(request, name))


@require_POST
def trigger_switch(request: HttpRequest, name: str, trigger_id: str) -> HttpResponse:
    """Switches one on or off."""
    trigger = _trigger(request, writable_agent(request, name), trigger_id)
    is_on = request.POST.get("on") == "true"
    switch_trigger(Actor.of(request), trigger, is_on=is_on)
    messages.success(request, f"{trigger.name} is {'on' if is_on else 'off'}")
    return redirect(BACK, name)


@require_POST
def trigger_test(request: HttpRequest, name: str, trigger_id: str) -> HttpResponse:
    """Lets one come now, and opens the session that it led to."""
    agent = writable_agent(request, name)
    trigger, body = _trigger(request, agent, trigger_id), text_of(request, "body")
    try:
        delivered = try_trigger(Actor.of(request), trigger, body)
    except StudioError as error:
        return _page(request, agent, refused=str(error), typed=(trigger.public_id, body), status=error.status)
    return redirect("session", delivered.session)


def _trigger(request: HttpRequest, agent: Agent, trigger_id: str) -> Trigger:
    trigger = trigger_for(person(request), agent, trigger_id)
    if trigger is None:
        raise Http404(f"{agent.name} has no such trigger.")
    return trigger


def _page(
    request: HttpRequest, agent: Agent, *, refused: str = "", typed: tuple[str, str] = ("", ""), status: int = 200
) -> HttpResponse:
    tried, body = typed
    rows = [
        {
            "shown": shown,
            "sample": body if shown.trigger.public_id == tried else sample_body(shown.trigger),
            "refused": refused if shown.trigger.public_id == tried else "",
        }
        for shown in triggers_for(person(request), agent)
    ]
    return render(request, "agents/triggers.html", {"agent": agent, "rows": rows}, status=status)
