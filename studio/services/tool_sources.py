"""API documents and tool servers: added, read, accepted and removed. What they say opens nothing by itself."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from asgiref.sync import async_to_sync
from django.db import transaction
from django.utils import timezone

from runtime.ports import ToolFailed
from runtime.tools.http_form.errors import FormRefused
from runtime.tools.http_form.tool import auth_header
from runtime.tools.mcp.listing import ListedTool, sha256_of
from runtime.tools.mcp.server import McpServer
from runtime.tools.openapi.document import ApiDocument, read_document
from runtime.tools.outbound.errors import OutboundRefused
from runtime.tools.outbound.target import read_url
from studio.errors import NotThereAny, Refused
from studio.models import Project, Tool, ToolSource
from studio.services.agents import must_write
from studio.services.audit import Actor, record
from studio.services.tool_facts import must_be_free
from studio.services.tool_rows import document_rows, server_rows
from studio.services.tools import must_be_unused
from studio.store.tools import note_listing, server_of
from studio.wiring import running

FAULT_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """The text of an API document, the operations chosen from it, and how they are reached.

    `base_url`: empty = as the text says. `auth`: `{secret, header, prefix}`, or empty.
    """

    text: str
    chosen: Collection[str]
    base_url: str = ""
    auth: Mapping[str, str] = field(default_factory=dict)


def look_at_document(text: str, base_url: str = "") -> ApiDocument:
    """What a document says; nothing is kept or fetched. Raises Refused."""
    try:
        return read_document(text, base_url.strip())
    except FormRefused as refused:
        raise Refused(refused.sentence) from None


@transaction.atomic
def add_document(actor: Actor, project: Project, name: str, facts: DocumentFacts) -> ToolSource:
    """An API document with the operations chosen from it as tools.

    Raises NotAllowed, or Refused for a name, text or choice that cannot be right.
    """
    must_write(actor, project)
    must_be_free(project, name)
    source = ToolSource(project=project, name=name, kind=ToolSource.Kind.OPENAPI, created_by=actor.user)
    _take_document(actor, source, facts)
    record(actor, "tool_source.added", name, after=_told(source))
    return source


@transaction.atomic
def change_document(actor: Actor, source: ToolSource, facts: DocumentFacts) -> ToolSource:
    """Another text or choice. Rules and words that people gave the tools stay. Raises as add_document does."""
    must_write(actor, source.project)
    row = ToolSource.objects.select_for_update().select_related("project").get(pk=source.pk)
    before = _told(row)
    _take_document(actor, row, facts)
    record(actor, "tool_source.changed", row.name, before=before, after=_told(row))
    return row


@transaction.atomic
def add_server(actor: Actor, project: Project, name: str, url: str, auth: Mapping[str, str]) -> ToolSource:
    """An MCP server, of which nothing is accepted yet. Raises NotAllowed, or Refused for what cannot be right."""
    must_write(actor, project)
    must_be_free(project, name)
    try:
        target = read_url(url)
    except OutboundRefused as refused:
        raise Refused(f"{refused.sentence[0].upper()}{refused.sentence[1:]}.") from None
    settings = {"url": target.url, "auth": dict(auth)}
    source = ToolSource(project=project, name=name, kind=ToolSource.Kind.MCP, created_by=actor.user, settings=settings)
    source.found = []
    source.save()
    record(actor, "tool_source.added", name, after=_told(source))
    return source


@transaction.atomic
def add_program(actor: Actor, project: Project, name: str, command: str, args: list[str]) -> ToolSource:
    """An MCP server that is a program of this machine. Raises NotAllowed unless an administrator, or Refused."""
    actor.must_administer("say which programs the studio starts")
    must_be_free(project, name)
    if not command.startswith("/"):
        raise Refused("Give the whole path of the program, such as /usr/local/bin/shop-mcp.")
    settings = {"command": command, "args": args}
    source = ToolSource(project=project, name=name, kind=ToolSource.Kind.PROGRAM, settings=settings, found=[])
    source.created_by = actor.user
    source.save()
    record(actor, "tool_source.added", name, after=_told(source))
    return source


def look_at_server(actor: Actor, source: ToolSource) -> ToolSource:
    """Asks a server for its tools, and keeps what it says if that is not what was accepted. Raises NotAllowed.

    Takes up to half a minute, and holds no transaction meanwhile. What went wrong is in `fault`.
    """
    must_write(actor, source.project)
    try:
        listed = async_to_sync(_listed)(server_of(source), source.project.public_id)
    except ToolFailed as failed:
        fault = running().redactor.redact(failed.sentence)[:FAULT_CHARACTERS]
        ToolSource.objects.filter(pk=source.pk).update(fault=fault, checked_at=timezone.now())
    else:
        note_listing(source.pk, listed)
    source.refresh_from_db()
    return source


@transaction.atomic
def accept_listing(actor: Actor, source: ToolSource, sha256: str, chosen: Collection[str]) -> ToolSource:
    """Opens the tools that a person chose from what the server says of them. `sha256`: of what the person saw.

    Raises NotAllowed, Refused, or NotThereAny if the server said something else meanwhile.
    """
    must_write(actor, source.project)
    row = ToolSource.objects.select_for_update().select_related("project").get(pk=source.pk)
    listed = found_tools(row)
    if not listed or sha256_of(listed) != sha256:
        raise NotThereAny(f"{row.name} says something else of its tools by now. Look at it again before you accept it.")
    before = {"sha256": row.accepted_sha256, "tools": _names(row)}
    row.accepted_sha256, row.found = sha256, None
    row.save()
    _remove_others(row, {tool.name for tool in listed if tool.name in chosen})
    server_rows(actor, row, [tool for tool in listed if tool.name in chosen])
    record(actor, "tool_source.accepted", row.name, before=before, after={"sha256": sha256, "tools": _names(row)})
    return row


@transaction.atomic
def remove_source(actor: Actor, source: ToolSource) -> None:
    """Deletes it with its tools. Raises NotAllowed, or Refused while a published agent uses one of them."""
    must_write(actor, source.project)
    if source.kind == ToolSource.Kind.PROGRAM:
        actor.must_administer("say which programs the studio starts")
    _remove_others(source, ())
    record(actor, "tool_source.removed", source.name, before=_told(source))
    ToolSource.objects.filter(pk=source.pk).delete()


def found_tools(source: ToolSource) -> list[ListedTool]:
    """What a server says of its tools and nobody has accepted yet."""
    return [ListedTool.of(said) for said in source.found or ()]


async def _listed(server: McpServer, project: str) -> list[ListedTool]:
    from runtime.tools.mcp.session import opened  # the SDK takes seconds to load

    async with opened(server, running().services, project) as session:
        return await session.tools()


def _take_document(actor: Actor, source: ToolSource, facts: DocumentFacts) -> None:
    document, chosen = look_at_document(facts.text, facts.base_url), facts.chosen
    by_name = {operation.name: operation for operation in document.operations}
    for name in chosen:
        if name not in by_name:
            raise Refused(f"The document has no operation {name[:100]}. Look at it again.")
        if by_name[name].problem:
            raise Refused(f"{name} cannot be a tool. {by_name[name].problem}")
    if not chosen:
        raise Refused("Choose at least one operation.")
    header = dict(facts.auth) if auth_header(facts.auth) else {}
    source.document, source.settings = (
        facts.text,
        {"base_url": document.base_url, "auth": header, "title": document.title},
    )
    source.checked_at = timezone.now()
    source.save()
    _remove_others(source, chosen)
    document_rows(actor, source, [by_name[name] for name in by_name if name in chosen])


def _remove_others(source: ToolSource, kept: Collection[str]) -> None:
    for tool in Tool.objects.filter(source=source).exclude(original__in=kept).select_related("project"):
        must_be_unused(tool)
        tool.delete()


def _names(source: ToolSource) -> list[str]:
    return list(source.tools.order_by("name").values_list("name", flat=True))


def _told(source: ToolSource) -> dict[str, Any]:
    return {"kind": source.kind, "settings": source.settings, "tools": _names(source) if source.pk else []}
