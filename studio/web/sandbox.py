"""Settings for administrators: which agents may run programs in the sandbox."""

from asgiref.sync import async_to_sync
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from studio.errors import StudioError
from studio.models import Agent
from studio.queries.sandbox import sandbox_rows
from studio.services.audit import Actor
from studio.services.sandbox import allow_programs, forbid_programs
from studio.web.fresh import is_fresh, wants_fresh_sign_in
from studio.web.person import person
from studio.wiring import running

PAGE = "settings-sandbox"


@require_safe
def sandbox(request: HttpRequest) -> HttpResponse:
    """The agents that may, those that ask for it in their text, and whether there is a sandbox at all."""
    context = {
        "rows": sandbox_rows(person(request)),
        "fault": async_to_sync(running().services.sandbox.fault)(),
        "limits": running().services.sandbox.limits,
        "is_fresh": is_fresh(request),
        "section": "sandbox",
    }
    return render(request, "settings/sandbox.html", context)


@require_POST
@wants_fresh_sign_in(PAGE)
def sandbox_change(request: HttpRequest, pk: int) -> HttpResponse:
    """Lets an agent run programs, or no longer."""
    agent = get_object_or_404(Agent.objects.visible_to(person(request)).select_related("project"), pk=pk)
    try:
        if request.POST.get("allowed") == "yes":
            allow_programs(Actor.of(request), agent)
            messages.success(request, f"{agent.name} may run programs in the sandbox")
        else:
            forbid_programs(Actor.of(request), agent)
            messages.success(request, f"{agent.name} may no longer run programs")
    except StudioError as error:
        messages.error(request, str(error))
    return redirect(PAGE)
