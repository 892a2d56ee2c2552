"""The tools page: the list, one tool with its rules, and Try it."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from runtime.domain.sandboxed import SANDBOXED
from runtime.tools.http_form.form import HttpForm
from runtime.tools.registry import Registry, RegistryTool
from studio.errors import NotAllowed, StudioError
from studio.models import Project, Tool
from studio.queries.agents import project_for_new_agents
from studio.queries.known import registry_of
from studio.queries.secrets import secret_names
from studio.queries.tool_users import tool_users
from studio.queries.tools import tools_for
from studio.services.audit import Actor
from studio.services.tools import change_tool, must_be_confirmed, new_try_key, remove_tool, try_tool
from studio.web.person import person
from studio.web.posted import posted_from
from studio.web.schema_form import NotOfItsKind, SchemaField, schema_fields, values_of
from studio.web.tool_arguments import KINDS, argument_rows, posted_schema, schema_text
from studio.web.tool_form import LABELS, HttpToolForm, RulesForm, rules_of, sent_of
from studio.web.tool_list import icon_of, is_built_in, tool_groups

PREFIX = "arg:"


def project_or_403(request: HttpRequest, name: str = "") -> Project:
    """The project whose tools the person may write: the one that has a tool of this name, else the oldest one.

    Raises NotAllowed.
    """
    row = tools_for(person(request)).filter(name=name).first() if name else None
    project = row.project if row else project_for_new_agents(person(request))
    if project is None:
        raise NotAllowed("see the tools of this project", "an administrator to make you an author")
    return project


@require_safe
def tools(request: HttpRequest) -> HttpResponse:
    """The list alone; on wide screens the first tool stands beside it."""
    return render(
        request, "tools/list.html", frame(request, project_or_403(request)) | {"is_list": True, "is_chosen": False}
    )


@require_safe
def tool(request: HttpRequest, name: str) -> HttpResponse:
    """One tool."""
    project = project_or_403(request, name)
    return _page(request, project, _tool(project, name))


@posted_from("tool")
def tool_change(request: HttpRequest, name: str) -> HttpResponse:
    """Changes words, what is sent, rules and labels."""
    project = project_or_403(request, name)
    row = _row(project, name)
    form = _form(row, request)
    try:
        if form.is_valid():
            schema = row.schema if row.source else posted_schema(request.POST)
            sent = form.sent() if isinstance(form, HttpToolForm) else row.form
            change_tool(Actor.of(request), row, form.facts(schema, sent))
            messages.success(request, f"{name} is saved")
            return redirect("tool", name)
        status = 422
    except StudioError as error:
        form.add_error(None, str(error))
        status = error.status
    return _page(request, project, _tool(project, name), form=form, status=status)


@require_POST
def tool_remove(request: HttpRequest, name: str) -> HttpResponse:
    """Deletes a tool that no published agent uses."""
    project = project_or_403(request, name)
    try:
        remove_tool(Actor.of(request), _row(project, name))
    except StudioError as error:
        return _page(request, project, _tool(project, name), refused=str(error), status=error.status)
    messages.success(request, f"{name} is deleted")
    return redirect("tools")


@posted_from("tool")
def tool_try(request: HttpRequest, name: str) -> HttpResponse:
    """Runs it once with what was entered; a tool that changes something is asked about once more before."""
    project = project_or_403(request, name)
    found = _tool(project, name)
    fields = schema_fields(found.spec.schema)
    key = request.POST.get("key") or new_try_key()
    tried: dict[str, Any] = {"key": key}
    status = 200
    try:
        args = values_of(fields, request.POST, prefix=PREFIX)
        tried["fields"] = schema_fields(found.spec.schema, args)
        if must_be_confirmed(found) and request.POST.get("confirmed") != "yes":
            tried["asks"] = True
        else:
            outcome = try_tool(Actor.of(request), project, found, args, key=key)
            tried |= {"outcome": outcome, "seconds": outcome.ms / 1000, "key": new_try_key()}
    except NotOfItsKind as error:
        tried, status = {**tried, "refused": str(error), "fields": _as_typed(fields, request)}, error.status
    except StudioError as error:
        tried, status = {**tried, "refused": str(error)}, error.status
    return _page(request, project, found, tried=tried, status=status)


def frame(request: HttpRequest, project: Project, registry: Registry | None = None) -> dict[str, Any]:
    """What every page about tools shows: the list, and who uses what."""
    registry = registry or registry_of(project)
    users = tool_users(project, registry)
    wanted = request.GET.get("q", "").strip()[:100]
    return {
        "groups": tool_groups(project, registry, users, wanted),
        "wanted": wanted,
        "count": len(registry.names),
        "users": users,
        "is_chosen": True,
        "has_own": Tool.objects.filter(project=project).exists(),
    }


def _tool(project: Project, name: str) -> RegistryTool:
    registry = registry_of(project)
    if name not in registry.names:
        raise Http404(f"There is no tool called {name}.")
    return registry.tool(name)


def _row(project: Project, name: str) -> Tool:
    row = Tool.objects.filter(project=project, name=name).select_related("source", "project").first()
    if row is None:
        raise Http404(f"There is no tool called {name} that could be changed.")
    return row


def _form(row: Tool, request: HttpRequest | None = None) -> RulesForm:
    data = request.POST if request else None
    if row.source is None:
        return HttpToolForm(data, initial=rules_of(row) | sent_of(row))
    return RulesForm(data, initial=rules_of(row))


def _page(
    request: HttpRequest,
    project: Project,
    found: RegistryTool,
    *,
    form: RulesForm | None = None,
    tried: dict[str, Any] | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    spec = found.spec
    row = Tool.objects.filter(project=project, name=spec.name).select_related("source", "project").first()
    context = frame(request, project)
    tried = {"fields": schema_fields(spec.schema), "key": new_try_key()} | (tried or {})
    context |= {
        "tool": found,
        "spec": spec,
        "row": row,
        "icon": icon_of(found),
        "current": spec.name,
        "form": form or (_form(row) if row else None),
        "is_own": row is not None and row.source is None,
        "is_built_in": is_built_in(found),
        "is_sandboxed": spec.name in SANDBOXED,
        "used_by": context["users"].get(spec.name, []),
        "arguments": argument_rows(spec.schema, spare=2 if row and row.source is None else 0),
        "kinds": KINDS,
        "schema_text": schema_text(spec.schema),
        "labels": [word for label, word in LABELS if label in spec.labels],
        "missing": _missing_secrets(row, project),
        "sent": sent_of(row) if row and row.form else None,
        "refused": refused,
        "tried": tried,
        "prefix": PREFIX,
    }
    return render(request, "tools/tool.html", context, status=status)


def _missing_secrets(row: Tool | None, project: Project) -> list[str]:
    if row is None or not row.form:
        return []
    there = set(secret_names(project))
    return [name for name in HttpForm.model_validate(row.form).secrets if name not in there]


def _as_typed(fields: list[SchemaField], request: HttpRequest) -> list[SchemaField]:
    return [replace(field, value=request.POST.get(PREFIX + field.name, "")) for field in fields]
