"""The agents list, and what is done with an agent as a whole."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST, require_safe

from studio.models import Agent
from studio.queries.agent_rows import agent_rows, figures_for
from studio.queries.agents import agent_named, agents_for, project_for_new_agents, versions_of
from studio.queries.starters import starters
from studio.queries.welcome import has_talked
from studio.services.agent_shelf import archive_agent, delete_agent, duplicate_agent, unarchive_agent
from studio.services.agents import must_write
from studio.services.audit import Actor, record
from studio.web.agent_filter import AgentFilter
from studio.web.person import person


def agent_or_404(request: HttpRequest, name: str) -> Agent:
    """The agent of that name, if the person may know of it."""
    agent = agent_named(person(request), name)
    if agent is None:
        raise Http404(f"There is no agent called {name}, or you may not see it.")
    return agent


def is_version_number(text: str) -> bool:
    """Whether the text can be the number of a version, so that it may be asked for."""
    return text.isdecimal() and len(text) < 8


@require_safe
def agents(request: HttpRequest) -> HttpResponse:
    """The list; a person who has no agents yet is welcomed instead. `HX-Request` gets the table alone."""
    viewer = person(request)
    if not agents_for(viewer).exists():
        return redirect("welcome")
    chosen = AgentFilter.of(request.GET)
    rows = agent_rows(viewer, archived=chosen.status == "archived")
    context = {
        "rows": chosen.applied(rows),
        "count": len(rows),
        "filter": chosen,
        "menus": chosen.menus(rows),
        "may_write": project_for_new_agents(viewer) is not None,
    }
    if request.headers.get("HX-Request") == "true":
        return render(request, "agents/_table.html", context)
    context |= {"figures": figures_for(viewer), "starters": starters(), "is_new": not has_talked(viewer)}
    return render(request, "agents/list.html", context)


@require_safe
def agent_export(request: HttpRequest, name: str) -> HttpResponse:
    """The draft, or the version `?version=`, byte for byte as its author wrote it."""
    agent = agent_or_404(request, name)
    must_write(Actor.of(request), agent.project)
    number = request.GET.get("version", "")
    text = agent.draft
    if number:
        version = versions_of(agent).filter(number=int(number)).first() if is_version_number(number) else None
        if version is None:
            raise Http404(f"{name} has no version {number}.")
        text = version.text
    record(Actor.of(request), "agent.exported", agent.name, after={"version": int(number) if number else "draft"})
    filename = f"{agent.name}-v{number}.yaml" if number else f"{agent.name}.yaml"
    disposition = content_disposition_header(True, filename) or "attachment"
    headers = {"Content-Disposition": disposition, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(text.encode("utf-8"), content_type="application/yaml", headers=headers)


@require_POST
def agent_duplicate(request: HttpRequest, name: str) -> HttpResponse:
    """A copy under a free name, opened in the editor."""
    copy = duplicate_agent(Actor.of(request), agent_or_404(request, name))
    messages.success(request, f"{copy.name} is a copy of {name}. Nothing runs it before you publish it")
    return redirect("agent-edit", copy.name)


@require_POST
def agent_archive(request: HttpRequest, name: str) -> HttpResponse:
    """Takes the agent off the list."""
    archive_agent(Actor.of(request), agent_or_404(request, name))
    messages.success(request, f"{name} is archived. Its rollouts stay readable")
    return redirect("agents")


@require_POST
def agent_unarchive(request: HttpRequest, name: str) -> HttpResponse:
    """Puts the agent back on the list."""
    unarchive_agent(Actor.of(request), agent_or_404(request, name))
    messages.success(request, f"{name} is back on the list")
    return redirect(f"{reverse('agents')}?status=archived")


@require_POST
def agent_delete(request: HttpRequest, name: str) -> HttpResponse:
    """Removes an agent that no trajectory names."""
    delete_agent(Actor.of(request), agent_or_404(request, name))
    messages.success(request, f"{name} is deleted")
    return redirect("agents")
