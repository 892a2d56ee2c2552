"""An API document or a tool server: its state, what it says now beside what was accepted, and its end."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from runtime.tools.mcp.listing import ListedTool, sha256_of
from studio.errors import StudioError
from studio.models import Tool, ToolSource
from studio.queries.tools import tool_sources_for
from studio.services.audit import Actor
from studio.services.tool_sources import accept_listing, found_tools, look_at_server, remove_source
from studio.web.person import person
from studio.web.posted import posted_from
from studio.web.text_diff import diff
from studio.web.tool_arguments import schema_text
from studio.web.tool_making import document_page
from studio.web.tools import frame, project_or_403


@require_http_methods(["GET", "HEAD", "POST"])
def source(request: HttpRequest, public_id: str) -> HttpResponse:
    """A document is changed here; a server is looked at."""
    found = _source(request, public_id)
    if found.kind == ToolSource.Kind.OPENAPI:
        return document_page(request, found.project, found)
    return _page(request, found)


@require_POST
def source_look(request: HttpRequest, public_id: str) -> HttpResponse:
    """Asks the server for its tools again."""
    found = _source(request, public_id)
    found = look_at_server(Actor.of(request), found)
    if found.fault:
        messages.error(request, found.fault)
    else:
        said = "says something else of its tools than was accepted" if found.is_changed else "says what was accepted"
        messages.success(request, f"{found.name} answers, and {said}")
    return redirect("tool-source", found.public_id)


@posted_from("tool-source")
def source_accept(request: HttpRequest, public_id: str) -> HttpResponse:
    """Opens the tools that were chosen."""
    found = _source(request, public_id)
    try:
        found = accept_listing(
            Actor.of(request), found, request.POST.get("sha256", ""), request.POST.getlist("operation")
        )
    except StudioError as error:
        found.refresh_from_db()
        return _page(request, found, refused=str(error), status=error.status)
    messages.success(request, f"{found.name} is open with {found.tools.count()} tools")
    return redirect("tool-source", found.public_id)


@posted_from("tool-source")
def source_remove(request: HttpRequest, public_id: str) -> HttpResponse:
    """Deletes it with its tools."""
    found = _source(request, public_id)
    try:
        remove_source(Actor.of(request), found)
    except StudioError as error:
        if found.kind == ToolSource.Kind.OPENAPI:
            messages.error(request, str(error))
            return redirect("tool-source", found.public_id)
        return _page(request, found, refused=str(error), status=error.status)
    messages.success(request, f"{found.name} is deleted")
    return redirect("tools")


def _source(request: HttpRequest, public_id: str) -> ToolSource:
    """Raises NotAllowed for who writes no tools at all."""
    project_or_403(request)
    return get_object_or_404(tool_sources_for(person(request)), public_id=public_id)


def _page(request: HttpRequest, found: ToolSource, *, refused: str = "", status: int = 200) -> HttpResponse:
    accepted = {row.original: row for row in found.tools.all()}
    listed = found_tools(found)
    context = frame(request, found.project) | {
        "source": found,
        "refused": refused,
        "accepted": accepted.values(),
        "rows": [_row(tool, accepted, is_first=not found.accepted_sha256) for tool in listed],
        "gone": [row for name, row in accepted.items() if listed and name not in {tool.name for tool in listed}],
        "sha256": sha256_of(listed) if listed else "",
    }
    return render(request, "tools/source.html", context, status=status)


def _row(tool: ListedTool, accepted: dict[str, Tool], *, is_first: bool) -> dict[str, Any]:
    """A tool as the server describes it now, with what changed since it was accepted."""
    row = accepted.get(tool.name)
    before = _words(row.title, row.description, row.schema) if row else ""
    now = _words(tool.title, tool.description, tool.schema)
    return {
        "tool": tool,
        "is_chosen": row is not None or is_first,
        "is_new": row is None,
        "is_changed": row is not None and before != now,
        "schema_text": schema_text(tool.schema),
        "difference": diff(before, now),
    }


def _words(title: str, description: str, schema: Any) -> str:
    return "\n".join((title, description, schema_text(schema)))
