"""The tools that come from an API document or a server, as rows; what people changed in them stays."""

from collections.abc import Sequence

from runtime.domain.tool import Label
from runtime.tools.http_form.form import HttpForm
from runtime.tools.http_form.tool import auth_header
from runtime.tools.mcp.listing import ListedTool
from runtime.tools.openapi.operation import Operation
from studio.errors import Refused
from studio.models import Tool, ToolSource
from studio.services.audit import Actor
from studio.services.tool_facts import ToolFacts, must_be_free, must_be_right
from studio.services.tools import write_facts

FROM_OUTSIDE = (Label.READS_UNTRUSTED.value, Label.SENDS_EXTERNAL.value)


def document_rows(actor: Actor, source: ToolSource, operations: Sequence[Operation]) -> None:
    """A row for each operation; one that writes asks a person first until its author says otherwise."""
    headers = auth_header(source.settings.get("auth") or {})
    for operation in operations:
        assert operation.form is not None, "only operations that can be tools are chosen"
        form = operation.form.model_copy(update={"headers": {**operation.form.headers, **headers}})
        facts = ToolFacts(
            operation.title,
            operation.description,
            operation.schema,
            form.model_dump(mode="json"),
            access="read" if operation.reads_only else "write",
            idempotent=bool(form.idempotency_header),
            approval="never" if operation.reads_only else "always",
            labels=FROM_OUTSIDE,
        )
        _keep(actor, source, operation.name, facts, form)


def server_rows(actor: Actor, source: ToolSource, tools: Sequence[ListedTool]) -> None:
    """A row for each tool; all count as writing, for nobody has checked what the server says of that."""
    for tool in tools:
        description = tool.description or tool.title or tool.name
        facts = ToolFacts(tool.title, description, tool.schema, approval="always", labels=FROM_OUTSIDE)
        _keep(actor, source, tool.name, facts, None)


def _keep(actor: Actor, source: ToolSource, original: str, facts: ToolFacts, form: HttpForm | None) -> None:
    known = Tool.objects.filter(source=source, original=original).first()
    if known is None:
        row = Tool(project=source.project, source=source, original=original, name=_free_name(source, original))
        must_be_right(facts)
        write_facts(row, facts, actor)
        return
    known.schema = dict(facts.schema)
    if form is None:
        known.title, known.description = facts.title, facts.description
    else:
        kept = HttpForm.model_validate(known.form)
        stays = {"response_path": kept.response_path}
        known.form = form.model_copy(update=stays).model_dump(mode="json")
    known.save()


def _free_name(source: ToolSource, original: str) -> str:
    """The name that it has there; with the source before it if that stands for something else here."""
    name = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "_-") else "_" for letter in original)
    for candidate in (name[:64], f"{source.name}_{name}"[:64]):
        try:
            must_be_free(source.project, candidate)
        except Refused:
            continue
        return candidate
    raise Refused(f"The names {name} and {source.name}_{name} are taken. Choose another name for {source.name}.")
