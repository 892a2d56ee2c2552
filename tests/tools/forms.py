"""HTTP tools of a project as tests need them: a form, its arguments, and secrets that are bound to hosts."""

from collections.abc import Mapping
from typing import Any

from runtime.domain.tool import Access, ToolSpec
from runtime.ports import ToolFailed
from runtime.tools.http_form.form import HttpForm
from runtime.tools.http_form.tool import HttpTool
from runtime.tools.outbound.client import GuardedClient
from runtime.tools.services import ToolServices
from tests.tools.calling import Desk


class BoundSecrets:
    """Secrets by name, each bound to one `host:port`; fulfils `runtime.ports.Secrets`."""

    def __init__(self, **values: tuple[str, str]) -> None:
        self.values = values

    async def value(self, name: str, project: str, authority: str) -> str:
        value, bound = self.values.get(name, ("", ""))
        if bound != authority:
            raise ToolFailed(f"the secret {name} may not be sent to {authority}", retryable=False)
        return value


def schema_for(form: HttpForm, **properties: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with every argument of the form; those without words here are text, and must be given."""
    names = sorted(form.arguments | set(properties))
    return {
        "type": "object",
        "properties": {name: dict(properties.get(name, {"type": "string"})) for name in names},
        "required": [name for name in names if name not in properties],
        "additionalProperties": False,
    }


def desk_of(
    form: HttpForm,
    client: GuardedClient,
    *,
    access: Access = Access.READ,
    idempotent: bool = False,
    settings: Mapping[str, Any] | None = None,
    secrets: BoundSecrets | None = None,
    **properties: Mapping[str, Any],
) -> Desk:
    """An agent with one tool, `call`, that is this form."""
    schema = schema_for(form, **properties)
    form.check(schema)
    spec = ToolSpec("call", "Calls.", schema, access=access, idempotent=idempotent, settings=settings or {})
    services = ToolServices(client, secrets or BoundSecrets())
    return Desk({"call": HttpTool(spec, form, services)})
