"""An OpenAPI 3 document: read as data alone, nothing in it is fetched."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.domain.yaml_node import MappingNode, plain_value
from runtime.domain.yaml_text import YamlLimits, read_yaml
from runtime.tools.http_form.errors import FormRefused
from runtime.tools.openapi.operation import METHODS, Operation, read_operation

LIMITS = YamlLimits(size_bytes=2 << 20, depth=50)
MOST_OPERATIONS = 500


@dataclass(frozen=True, slots=True)
class ApiDocument:
    """`base_url` is where its operations are sent to; empty if neither it nor anybody says so.

    `auth`: the header that it wants a secret in, as `{header, prefix}`; empty if it says none.
    """

    title: str
    base_url: str
    auth: Mapping[str, str]
    operations: tuple[Operation, ...]


def read_document(text: str, base_url: str = "") -> ApiDocument:
    """What a document says. `base_url` stands for the server that it names. Raises FormRefused."""
    read = read_yaml(text, LIMITS)
    if read.problems:
        problem = read.problems[0]
        raise FormRefused(f"Line {problem.line} of the document cannot be read: {problem.message}")
    if not isinstance(read.root, MappingNode):
        raise FormRefused("This is no API document. Paste the whole OpenAPI document, as JSON or YAML.")
    document: Mapping[str, Any] = plain_value(read.root)
    if not str(document.get("openapi", "")).startswith("3."):
        raise FormRefused("This is no OpenAPI 3 document: it does not begin with `openapi: 3…`.")
    base_url = base_url or _server(document)
    operations = tuple(_operations(document, base_url))
    if not operations:
        raise FormRefused("The document has no operations.")
    info = document.get("info")
    title = str(info.get("title", "")) if isinstance(info, Mapping) else ""
    return ApiDocument(title[:200], base_url, _auth(document), operations)


def _operations(document: Mapping[str, Any], base_url: str) -> Iterator[Operation]:
    paths = document.get("paths")
    names: set[str] = set()
    for path, item in paths.items() if isinstance(paths, Mapping) else ():
        for method in METHODS:
            said = item.get(method) if isinstance(item, Mapping) else None
            if not isinstance(said, Mapping):
                continue
            operation = read_operation(
                document, method, str(path), shared=item.get("parameters"), said=said, base_url=base_url
            )
            if operation.name not in names and len(names) < MOST_OPERATIONS:
                names.add(operation.name)
                yield operation


def _server(document: Mapping[str, Any]) -> str:
    """The first server that is an address of its own."""
    servers = document.get("servers")
    for server in servers if isinstance(servers, list) else ():
        url = server.get("url") if isinstance(server, Mapping) else None
        if isinstance(url, str) and url.startswith(("https://", "http://")) and "{" not in url:
            return url.rstrip("/")
    return ""


def _auth(document: Mapping[str, Any]) -> dict[str, str]:
    components = document.get("components")
    schemes = components.get("securitySchemes") if isinstance(components, Mapping) else None
    for scheme in schemes.values() if isinstance(schemes, Mapping) else ():
        match scheme:
            case {"type": "http", "scheme": str(word)} if word.lower() in ("bearer", "basic"):
                return {"header": "Authorization", "prefix": word.capitalize()}
            case {"type": "apiKey", "in": "header", "name": str(name)}:
                return {"header": name, "prefix": ""}
    return {}
