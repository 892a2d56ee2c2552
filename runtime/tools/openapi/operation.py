"""One operation of an API document as a tool: its arguments, and the form that sends them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from runtime.domain.arguments import canonical
from runtime.tools.http_form.errors import FormRefused
from runtime.tools.http_form.form import BODY_METHODS, HttpForm
from runtime.tools.openapi.schema import plain_schema, resolved

METHODS = ("get", "put", "post", "delete", "patch", "head")
LONGEST_SCHEMA = 64 * 1024
LONGEST_DESCRIPTION = 4000
IDEMPOTENCY_KEY = "idempotency-key"
"""The header in which services take the key of a call; the studio fills it, not the model."""
_READS = frozenset({"GET", "HEAD"})
_IN_PATH = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Operation:
    """`name` is its operationId, or its method and path; `problem` says why no tool can be made of it."""

    name: str
    title: str
    description: str
    method: str
    path: str
    schema: Mapping[str, Any]
    form: HttpForm | None
    problem: str = ""

    @property
    def reads_only(self) -> bool:
        """Whether its method is one that changes nothing."""
        return self.method in _READS


def read_operation(
    document: Mapping[str, Any], method: str, path: str, *, shared: Any, said: Mapping[str, Any], base_url: str
) -> Operation:
    """The operation. `shared`: parameters of the whole path."""
    name = said.get("operationId")
    name = name if isinstance(name, str) and name else f"{method}_{path}"
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:200] or method
    title, words = _text(said.get("summary")), _text(said.get("description"))
    description = "\n".join(dict.fromkeys(part for part in (title, words) if part)) or f"{method.upper()} {path}"
    parts = _Parts(document, path)
    schema: Mapping[str, Any] = {}
    form, problem = None, ""
    try:
        for parameter in _parameters(document, shared, said.get("parameters")):
            parts.add(parameter)
        parts.add_body(said.get("requestBody"), method.upper())
        schema = parts.schema()
        form = parts.form(method.upper(), base_url)
        form.check(schema)
    except FormRefused as refused:
        form, problem = None, refused.sentence
    return Operation(name, title[:200], description[:LONGEST_DESCRIPTION], method.upper(), path, schema, form, problem)


class _Parts:
    """The arguments of an operation, and where each of them goes."""

    def __init__(self, document: Mapping[str, Any], path: str) -> None:
        self._document, self._path = document, path
        self._properties: dict[str, Any] = {}
        self._required: list[str] = []
        self._in_path: dict[str, str] = {}
        self._query: list[str] = []
        self._headers: dict[str, str] = {}
        self._body: Any = None
        self._key_header = ""

    def add(self, parameter: Mapping[str, Any]) -> None:
        name, place = str(parameter.get("name", "")), parameter.get("in")
        is_required = parameter.get("required") is True or place == "path"
        if place == "cookie" or (place == "header" and name.lower() in ("accept", "content-type", "authorization")):
            if place == "cookie" and is_required:
                raise FormRefused(f"It needs the cookie {name}, which is not sent.")
            return
        if place == "header" and name.lower().replace("_", "-") == IDEMPOTENCY_KEY:
            self._key_header = name
            return
        schema = plain_schema(self._document, parameter.get("schema"))
        if words := _text(parameter.get("description")):
            schema = {"description": words, **schema}
        argument = self._argument(name, schema, is_required=is_required)
        match place:
            case "path":
                self._in_path[name] = argument
            case "query":
                self._query.append(f"{quote(name, safe='[]')}={{{argument}}}")
            case "header":
                self._headers[name] = f"{{{argument}}}"
            case _:
                raise FormRefused(f"The place of its parameter {name} is not known.")

    def add_body(self, said: Any, method: str) -> None:
        body = resolved(self._document, said)
        content = body.get("content")
        if not isinstance(content, Mapping) or method not in BODY_METHODS:
            return
        is_required = body.get("required") is True
        media = next((kind for kind in content if str(kind).partition(";")[0].strip() == "application/json"), None)
        if media is None:
            if is_required:
                raise FormRefused(f"It takes {', '.join(map(str, content))}, and only JSON can be sent.")
            return
        schema = plain_schema(self._document, resolved(self._document, content[media]).get("schema"))
        properties = schema.get("properties")
        if not isinstance(properties, Mapping) or schema.get("type") != "object" or self._has_any(properties):
            self._body = f"{{{self._argument('body', schema, is_required=is_required)}}}"
            return
        wanted = schema.get("required") if is_required else ()
        self._body = {
            name: f"{{{self._argument(name, part, is_required=name in (wanted or ()))}}}"
            for name, part in properties.items()
        }

    def schema(self) -> dict[str, Any]:
        schema = {
            "type": "object",
            "properties": self._properties,
            "required": self._required,
            "additionalProperties": False,
        }
        if len(canonical(schema)) > LONGEST_SCHEMA:
            raise FormRefused(f"Its arguments take more than {LONGEST_SCHEMA // 1024} KiB to describe.")
        return schema

    def form(self, method: str, base_url: str) -> HttpForm:
        missing = [name for name in _IN_PATH.findall(self._path) if name not in self._in_path]
        if missing:
            raise FormRefused(f"Its path has the place {{{missing[0]}}}, and no parameter says what goes there.")
        path = _IN_PATH.sub(lambda found: f"{{{self._in_path[found[1]]}}}", self._path)
        url = f"{path}?{'&'.join(self._query)}" if self._query else path
        sent = {"method": method, "base_url": base_url, "url": url, "headers": self._headers, "body": self._body}
        return HttpForm.model_validate({**sent, "idempotency_header": self._key_header})

    def _has_any(self, names: Iterable[str]) -> bool:
        return any(name in self._properties for name in names)

    def _argument(self, name: str, schema: Mapping[str, Any], *, is_required: bool) -> str:
        argument = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:60] or "argument"
        argument = argument if argument[0].isalpha() else f"a_{argument}"
        while argument in self._properties:
            argument += "_"
        self._properties[argument] = dict(schema)
        if is_required:
            self._required.append(argument)
        return argument


def _parameters(document: Mapping[str, Any], *lists: Any) -> Iterator[Mapping[str, Any]]:
    """Each once; an operation's own stands for the path's."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for items in lists:
        for item in items if isinstance(items, list) else ():
            parameter = resolved(document, item)
            found[str(parameter.get("name")), str(parameter.get("in"))] = parameter
    yield from found.values()


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
