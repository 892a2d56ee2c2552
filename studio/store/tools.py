"""The tools of a project, out of their rows: to be granted, and to be run."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from asgiref.sync import sync_to_async
from django.db import transaction
from django.utils import timezone

from runtime.domain.tool import Access, ApprovalPolicy, Label, ToolSpec, UsualRules
from runtime.ports import ToolContext, ToolFailed
from runtime.tools.http_form.form import HttpForm
from runtime.tools.http_form.tool import HttpTool
from runtime.tools.mcp.listing import ListedTool, sha256_of
from runtime.tools.mcp.server import McpServer, ProgramServer, RemoteServer
from runtime.tools.mcp.tool import McpTool
from runtime.tools.registry import RegistryTool
from runtime.tools.services import ToolServices
from studio.models import Tool, ToolSource


def project_tools(project: str, services: ToolServices, names: Collection[str] | None = None) -> list[RegistryTool]:
    """The tools of the project with this public id; `names`: only these."""
    rows = Tool.objects.filter(project__public_id=project).select_related("source").order_by("name")
    return [tool_of(row, services) for row in (rows if names is None else rows.filter(name__in=names))]


def tool_of(row: Tool, services: ToolServices) -> RegistryTool:
    """The tool of a row."""
    source = row.source
    if source is None or source.kind == ToolSource.Kind.OPENAPI:
        form = HttpForm.model_validate(row.form)
        kind, group = ("openapi", source.name) if source else ("", "")
        return HttpTool(spec_of(row), form, services, group=group, source=(kind, group), original=row.original)
    return McpTool(
        spec_of(row),
        server_of(source),
        row.original,
        "" if source.is_changed else source.accepted_sha256,
        services,
        _Changed(source.pk),
        group=source.name,
        source=("mcp", source.name),
    )


def spec_of(row: Tool) -> ToolSpec:
    """What is declared of the tool, with its usual rules."""
    usual = UsualRules(row.approval, row.timeout_seconds, row.retries, row.idempotent)
    return ToolSpec(
        name=row.name,
        description=row.description,
        schema=row.schema,
        access=Access(row.access),
        idempotent=row.idempotent,
        timeout_seconds=row.timeout_seconds,
        retries=row.retries,
        labels=frozenset(Label(label) for label in row.labels),
        approval=ApprovalPolicy(when=row.approval),
        usual=usual,
    )


def server_of(source: ToolSource) -> McpServer:
    """Where the server of a source is."""
    said: Mapping[str, Any] = source.settings
    if source.kind == ToolSource.Kind.PROGRAM:
        return ProgramServer(source.name, said["command"], tuple(said.get("args", ())))
    return RemoteServer(source.name, said["url"], said.get("auth") or {})


@transaction.atomic
def note_listing(source_pk: int, tools: Iterable[ListedTool]) -> ToolSource | None:
    """Keeps what a server says of its tools if that is not what was accepted; None if the source is gone."""
    listed = list(tools)
    source = ToolSource.objects.select_for_update().filter(pk=source_pk).first()
    if source is None:
        return None
    is_accepted = sha256_of(listed) == source.accepted_sha256
    source.found = None if is_accepted else [tool.told() for tool in listed]
    source.checked_at, source.fault = timezone.now(), ""
    source.save(update_fields=["found", "checked_at", "fault"])
    return source


@dataclass(frozen=True, slots=True)
class StoredTool:
    """Stands for whatever tool of its name the project has when it is called; fulfils `runtime.ports.Tool`."""

    spec: ToolSpec
    services: ToolServices

    async def run(self, args: Mapping[str, Any], context: ToolContext) -> str:
        found = await sync_to_async(project_tools)(context.project, self.services, [self.spec.name])
        if not found:
            raise ToolFailed(f"the tool {self.spec.name} is not there any more", retryable=False)
        return await found[0].run(args, context)


@dataclass(frozen=True, slots=True)
class _Changed:
    source_pk: int

    async def __call__(self, tools: Sequence[ListedTool]) -> None:
        await sync_to_async(note_listing)(self.source_pk, tools)
