"""`/workflows`: ways to start sessions of several agents: the list, the file of each, and a start by one."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from studio.errors import NotAllowed, StudioError
from studio.models import Project, User, Workflow
from studio.queries.agents import agents_for, project_for_new_agents
from studio.queries.workflows import meaning_of, start_schema, visible_workflows, workflow_named
from studio.services.agents import must_write
from studio.services.audit import Actor
from studio.services.sessions import Start, start
from studio.services.workflows import check_workflow, delete_workflow, save_workflow
from studio.web.editor_page import problem_data
from studio.web.person import person
from studio.web.playground import sessions_beside
from studio.web.posts import key_of, text_of
from studio.web.schema_form import schema_fields, values_of
from studio.web.typed_text import as_typed, as_written

NEW = """workflow: {name}
title:
description:
agents: [{agents}]
entry: {entry}                # hears what names no other agent
# may_interrupt: {{{entry}: [other-agent]}}
# shared_context: {{order_id: string}}   # asked for at the start; every agent reads it
"""


@require_safe
def workflows(request: HttpRequest) -> HttpResponse:
    """The list, with whom each brings together."""
    user = person(request)
    rows = [{"workflow": one, "meaning": meaning_of(one)} for one in visible_workflows(user)]
    context = {"rows": rows, "may_write": project_for_new_agents(user) is not None}
    return render(request, "workflows/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def workflow_new(request: HttpRequest) -> HttpResponse:
    """A text to begin with, and its first saving."""
    user = person(request)
    project = project_for_new_agents(user)
    if project is None:
        raise NotAllowed("make workflows", "an administrator to make you an author")
    if request.method == "POST":
        return _saved(request, project, None)
    return _editor(request, project, None, _first_text(user, project))


@require_http_methods(["GET", "HEAD", "POST"])
def workflow_edit(request: HttpRequest, name: str) -> HttpResponse:
    """The file with what is wrong with it; only a text that sessions can be started by is kept."""
    workflow = _writable(request, name)
    if request.method == "POST":
        return _saved(request, workflow.project, workflow)
    return _editor(request, workflow.project, workflow, as_typed(workflow.text))


@require_POST
def workflow_check(request: HttpRequest) -> JsonResponse:
    """What is wrong with a text that is not saved."""
    project = project_for_new_agents(person(request))
    if project is None:
        raise NotAllowed("make workflows", "an administrator to make you an author")
    file = check_workflow(project, as_typed(request.POST.get("text", "")))
    return JsonResponse({"problems": [problem_data(problem) for problem in file.problems]})


@require_POST
def workflow_delete(request: HttpRequest, name: str) -> HttpResponse:
    """Removes it; sessions that were started by it go on."""
    delete_workflow(Actor.of(request), _writable(request, name))
    messages.success(request, f"{name} is deleted. Sessions that were started by it go on")
    return redirect("workflows")


@require_http_methods(["GET", "HEAD", "POST"])
def workflow_start(request: HttpRequest, name: str) -> HttpResponse:
    """What all of its agents are to know, and the first message."""
    user = person(request)
    workflow = _visible(user, name)
    problem, status = "", 200
    if request.method == "POST":
        try:
            return redirect("session", _started(request, user, workflow))
        except StudioError as error:
            problem, status = str(error), error.status
    meaning = meaning_of(workflow)
    typed = {name.removeprefix("value:"): value for name, value in request.POST.items() if name.startswith("value:")}
    context = {
        **sessions_beside(request),
        "workflow": workflow,
        "meaning": meaning,
        "fields": schema_fields(start_schema(meaning), typed or None),
        "content": request.POST.get("content", ""),
        "key": uuid4().hex,
        "problem": problem,
    }
    return render(request, "workflows/start.html", context, status=status)


def _started(request: HttpRequest, user: User, workflow: Workflow) -> str:
    fields = schema_fields(start_schema(meaning_of(workflow)))
    given = values_of(fields, request.POST, prefix="value:")
    wanted = Start(workflow=workflow.name, input=text_of(request, "content"), context=given)
    return start(user, wanted, key_of(request)).session


def _saved(request: HttpRequest, project: Project, workflow: Workflow | None) -> HttpResponse:
    text = as_typed(request.POST.get("text", ""))
    try:
        saved, _ = save_workflow(Actor.of(request), project, as_written(text, workflow.text if workflow else ""))
    except StudioError as error:
        return _editor(request, project, workflow, text, str(error), error.status)
    messages.success(request, "Saved. It counts for sessions that are started from now on")
    return redirect("workflow", saved.name)


def _editor(
    request: HttpRequest, project: Project, workflow: Workflow | None, text: str, refused: str = "", status: int = 200
) -> HttpResponse:
    context: Mapping[str, Any] = {
        "workflow": workflow,
        "text": text,
        "problems": check_workflow(project, text).problems,
        "refused": refused,
    }
    return render(request, "workflows/edit.html", context, status=status)


def _first_text(user: User, project: Project) -> str:
    """With the agents that there are, so that it can be saved as it is."""
    names = [agent.name for agent in agents_for(user).filter(project=project, archived_at=None)[:2]] or ["assistant"]
    taken = set(Workflow.objects.filter(project=project).values_list("name", flat=True))
    name = next(name for name in ("support", *(f"support-{n}" for n in range(2, 1000))) if name not in taken)
    return NEW.format(name=name, agents=", ".join(names), entry=names[0])


def _visible(user: User, name: str) -> Workflow:
    workflow = workflow_named(user, name)
    if workflow is None:
        raise Http404(f"There is no workflow called {name}, or you may not see it.")
    return workflow


def _writable(request: HttpRequest, name: str) -> Workflow:
    workflow = _visible(person(request), name)
    must_write(Actor.of(request), workflow.project)
    return workflow
