"""What a server says of its tools, in the one form that is pinned by its hash."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from runtime.domain.arguments import canonical
from runtime.domain.text import clean
from runtime.ports import ToolFailed

MOST_TOOLS = 200
LONGEST_DESCRIPTION = 4000
LONGEST_SCHEMA = 64 * 1024
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


@dataclass(frozen=True, slots=True)
class ListedTool:
    """One tool as its server describes it. `reads_only` is the server's own word, which nobody has checked."""

    name: str
    title: str
    description: str
    schema: Mapping[str, Any]
    reads_only: bool = False

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> "ListedTool":
        """A stored one."""
        return cls(said["name"], said["title"], said["description"], said["schema"], said["reads_only"])

    def told(self) -> dict[str, Any]:
        """As it is stored, and pinned."""
        return asdict(self)


def checked(server: str, tool: ListedTool) -> ListedTool:
    """The tool, its words cut to what a model should read. Raises ToolFailed for one that cannot be offered."""
    if not _NAME.fullmatch(tool.name):
        raise ToolFailed(f"{server} has a tool whose name cannot be used: {tool.name[:60]!r}", retryable=False)
    problem = _schema_problem(tool.schema)
    if problem:
        raise ToolFailed(f"the tool {tool.name} of {server} has a schema that {problem}", retryable=False)
    return ListedTool(
        tool.name, clean(tool.title)[:200], clean(tool.description)[:LONGEST_DESCRIPTION], tool.schema, tool.reads_only
    )


def sha256_of(tools: Iterable[ListedTool]) -> str:
    """The hash that a listing is pinned by; the order of the tools does not count."""
    told = sorted((tool.told() for tool in tools), key=lambda tool: tool["name"])
    return hashlib.sha256(canonical(told).encode("utf-8", "surrogatepass")).hexdigest()


def _schema_problem(schema: Mapping[str, Any]) -> str:
    if len(canonical(schema)) > LONGEST_SCHEMA:
        return f"is longer than {LONGEST_SCHEMA // 1024} KiB"
    if schema.get("type") != "object":
        return "is not of the type object"
    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        return f"is broken: {error.message[:200]}"
    return ""
