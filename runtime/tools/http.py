"""Requests to web servers, through the guarded client."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from runtime.domain.tool import Access, Label
from runtime.ports import NothingDone, ToolContext
from runtime.tools.declaration import tool
from runtime.tools.outbound.answer import Answer
from runtime.tools.services import ToolServices
from runtime.tools.workspace.text_file import size_in_words

_LARGEST_BODY = 1 << 20
_SHOWN_HEADERS = ("etag", "last-modified", "location", "retry-after")
_TEXT_TYPES = ("text/", "application/json", "application/xml", "application/javascript", "application/x-ndjson")

# A GET sends out whatever the model puts into its URL, so it is both.
_LABELS = frozenset({Label.READS_UNTRUSTED, Label.SENDS_EXTERNAL})


@tool(group="http", labels=_LABELS, title="Fetch a web page", question="Fetch {url}?")
async def http_get(
    context: ToolContext, services: ToolServices, url: str, headers: dict[str, str] | None = None
) -> dict[str, object]:
    """Fetch a web page or the answer of an API by GET.

    Args:
        url: The address, with https:// or http://.
        headers: Headers to send along, by name.
    """
    request = services.client.request("GET", url, headers=headers)
    return _told(await services.client.fetch(request))


@tool(
    group="http",
    access=Access.WRITE,
    labels=_LABELS,
    title="Send a request to a web server",
    question="Send {method} to {url}?",
)
async def http_request(
    context: ToolContext,
    services: ToolServices,
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    url: str,
    headers: dict[str, str] | None = None,
    body: Annotated[str | None, Field(max_length=_LARGEST_BODY)] = None,
) -> dict[str, object]:
    """Send a request of any method to a web server.

    Args:
        method: The HTTP method.
        url: The address, with https:// or http://.
        headers: Headers to send along, by name; Content-Type says what the body is.
        body: The text to send.
    """
    data = None if body is None else body.encode("utf-8", "replace")
    request = services.client.request(method, url, headers=headers, body=data)
    try:
        return _told(await services.client.fetch(request))
    except asyncio.CancelledError:
        if request.is_sent:
            raise
        raise NothingDone("it was cancelled before it was sent") from None


def _told(answer: Answer) -> dict[str, object]:
    """The answer as the model is told of it."""
    told: dict[str, object] = {"status": answer.status, "url": answer.url, "content_type": answer.content_type}
    told |= _some_headers(answer.headers)
    if not _is_text(answer):
        return told | {"body": f"[{size_in_words(len(answer.body))} that are not text]"}
    told["body"] = answer.text()
    if answer.is_cut:
        told["note"] = f"the body is longer; these are its first {size_in_words(len(answer.body))}"
    return told


def _some_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: headers[name] for name in _SHOWN_HEADERS if name in headers}


def _is_text(answer: Answer) -> bool:
    kind = answer.content_type
    return kind.startswith(_TEXT_TYPES) or kind.endswith(("+json", "+xml")) or (not kind and b"\0" not in answer.body)
