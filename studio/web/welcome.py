"""The first-run page: five steps, ticked by what really happened."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from studio.queries.welcome import first_steps
from studio.web.person import person


@require_safe
def welcome(request: HttpRequest) -> HttpResponse:
    """What to try first, on the demonstration agent."""
    return render(request, "agents/welcome.html", {"welcome": first_steps(person(request))})
