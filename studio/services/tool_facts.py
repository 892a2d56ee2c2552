"""What is said of a tool of a project, and whether that can be right."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import ValidationError

from runtime.domain.agent import is_framework_call
from runtime.domain.condition import problem_with as condition_problem
from runtime.domain.tool import Label
from runtime.domain.tool_policy import APPROVAL_WORDS
from runtime.tools.http_form.errors import FormRefused
from runtime.tools.http_form.form import HttpForm
from studio.errors import Refused
from studio.models import Project, Tool, ToolSource
from studio.queries.known import tool_registry

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
RESERVED = frozenset({"openapi", "mcp", "shell", "python", "system_tools", "directory"})
LONGEST_DESCRIPTION = 4000
LONGEST_TIMEOUT_SECONDS = 600.0
MOST_RETRIES = 10
LONGEST_SCHEMA = 64 * 1024


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """A tool without its name. `form` is empty for a tool of a server."""

    title: str
    description: str
    schema: Mapping[str, Any]
    form: Mapping[str, Any] = field(default_factory=dict)
    access: str = "write"
    idempotent: bool = False
    timeout_seconds: float = 60.0
    retries: int = 0
    approval: str = "never"
    labels: tuple[str, ...] = ()

    def told(self) -> dict[str, Any]:
        """For the audit log: secrets stand in it by their names."""
        return asdict(self)


def facts_of_row(row: Tool) -> ToolFacts:
    """What is said of a stored tool."""
    return ToolFacts(
        row.title,
        row.description,
        row.schema,
        row.form,
        row.access,
        row.idempotent,
        row.timeout_seconds,
        row.retries,
        row.approval,
        tuple(row.labels),
    )


def must_be_free(project: Project, name: str) -> None:
    """Raises Refused for a name that is none, or that stands for something else in the project."""
    if not NAME.fullmatch(name):
        raise Refused(
            "Name it with letters, digits, dashes and underscores, such as issue_refund; agents use that name."
        )
    registry = tool_registry()
    taken = name in RESERVED or name in registry.names or name in registry.groups or is_framework_call(name)
    own = Tool.objects.filter(project=project, name=name).exists()
    if taken or own or ToolSource.objects.filter(project=project, name=name).exists():
        raise Refused(f"The name {name} is taken. Choose another one.")


def must_be_right(facts: ToolFacts) -> HttpForm | None:
    """The form of an HTTP tool. Raises Refused for the first fact that cannot be right."""
    if not facts.description.strip() or len(facts.description) > LONGEST_DESCRIPTION:
        raise Refused(f"Say what the tool does, in at most {LONGEST_DESCRIPTION:,} characters: the model reads it.")
    if facts.access not in ("read", "write"):
        raise Refused("A tool reads or it writes.")
    if not 0 < facts.timeout_seconds <= LONGEST_TIMEOUT_SECONDS:
        raise Refused(f"The time limit is more than 0 and at most {LONGEST_TIMEOUT_SECONDS:g} seconds.")
    if not 0 <= facts.retries <= MOST_RETRIES:
        raise Refused(f"A tool is tried at least once and at most {MOST_RETRIES + 1} times.")
    if not set(facts.labels) <= {label.value for label in Label}:
        raise Refused("There is no such label.")
    _check_schema(facts.schema)
    _check_approval(facts)
    return _form(facts) if facts.form else None


def _check_schema(schema: Mapping[str, Any]) -> None:
    if schema.get("type") != "object" or not isinstance(schema.get("properties", {}), Mapping):
        raise Refused("What the tool needs is a JSON Schema of the type object, with its arguments under properties.")
    if len(str(schema)) > LONGEST_SCHEMA:
        raise Refused(f"What the tool needs is described in more than {LONGEST_SCHEMA // 1024} KiB. Shorten it.")
    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        where = ".".join(str(step) for step in error.absolute_path) or "the schema"
        raise Refused(f"The JSON Schema is broken at {where}: {error.message[:200]}.") from None


def _check_approval(facts: ToolFacts) -> None:
    if facts.approval in APPROVAL_WORDS:
        return
    known = {"args": frozenset(facts.schema.get("properties", {})), "vars": None, "user": None}
    problem = condition_problem(facts.approval, known)
    if problem:
        raise Refused(f"The condition for asking a person cannot be used: {problem}")


def _form(facts: ToolFacts) -> HttpForm:
    try:
        form = HttpForm.model_validate(facts.form)
        form.check(facts.schema)
    except FormRefused as refused:
        raise Refused(refused.sentence) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Refused(f"What is sent cannot be right at {where}: {first['msg']}.") from None
    return form
