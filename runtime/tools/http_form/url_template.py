"""The URL of a call: arguments are encoded where they stand, and none can leave its place."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from runtime.ports import ToolFailed
from runtime.tools.http_form.errors import FormRefused
from runtime.tools.http_form.template import PLACE, SECRET, Missing, filled, placeholders
from runtime.tools.outbound.errors import OutboundRefused
from runtime.tools.outbound.target import read_url

_DOTS = frozenset({".", "..", "%2e", "%2e%2e", ".%2e", "%2e."})


def check_url_template(template: str) -> tuple[str, ...]:
    """The names of the arguments in the path. Raises FormRefused."""
    path, query = _parts(template)
    origin = _origin(template)
    if PLACE.search(origin):
        raise FormRefused("The host of a URL is fixed: an argument may stand in its path or query, not in its host.")
    if "#" in template:
        raise FormRefused("A URL with a # is not sent; leave that part out.")
    try:
        read_url(origin + PLACE.sub("x", path))
    except OutboundRefused as refused:
        raise FormRefused(f"{refused.sentence[0].upper()}{refused.sentence[1:]}.") from None
    if any(place.kind == SECRET for place in placeholders(path)):
        raise FormRefused("A secret goes into a header or the query of the URL, never into its path.")
    for name, _ in _pairs(query):
        if placeholders(name):
            raise FormRefused("An argument can be a value in the query, not the name of one.")
    return tuple(place.name for place in placeholders(path))


def authority_of(template: str) -> str:
    """`host:port` that every call goes to. Raises OutboundRefused."""
    return read_url(_origin(template)).authority


def filled_url(template: str, args: Mapping[str, Any], secrets: Mapping[str, str]) -> str:
    """The URL for these arguments; what was not given is left out of the query. Raises ToolFailed."""
    path, query = _parts(template)
    url = _origin(template) + "/".join(_segment(segment, args) for segment in path.split("/"))
    pairs = [pair for name, value in _pairs(query) for pair in _filled_pairs(name, value, args, secrets)]
    return f"{url}?{'&'.join(pairs)}" if pairs else url


def _segment(segment: str, args: Mapping[str, Any]) -> str:
    try:
        text = filled(segment, args, {}, lambda value: quote(value, safe=""))
    except Missing:
        text = ""
    if placeholders(segment) and (not text or text.lower() in _DOTS):
        names = " and ".join(f"`{place.name}`" for place in placeholders(segment))
        raise ToolFailed(f"{names} must name something; it cannot be empty or only dots", retryable=False)
    return text


def _filled_pairs(name: str, value: str, args: Mapping[str, Any], secrets: Mapping[str, str]) -> Iterator[str]:
    """One pair; a list that stands alone gives a pair for each item."""
    places = placeholders(value)
    alone = len(places) == 1 and PLACE.fullmatch(value) is not None and places[0].kind != SECRET
    given = args.get(places[0].name) if alone else None
    for one in given if isinstance(given, list) else [None]:
        chosen = args if one is None else {**args, places[0].name: one}
        try:
            yield f"{name}={filled(value, chosen, secrets, lambda text: quote(text, safe=''))}"
        except Missing:
            continue


def _pairs(query: str) -> Iterator[tuple[str, str]]:
    for pair in query.split("&") if query else ():
        name, _, value = pair.partition("=")
        yield name, value


def _parts(template: str) -> tuple[str, str]:
    """The path from its first slash on, and the query."""
    rest = template[len(_origin(template)) :]
    path, _, query = rest.partition("?")
    return path, query


def _origin(template: str) -> str:
    """Scheme, host and port: all before the first slash, question mark or # behind the `//`."""
    start = template.find("//") + 2
    if start < 2:
        raise FormRefused("Write the URL as https://host/path.")
    ends = [at for mark in "/?#" if (at := template.find(mark, start)) >= 0]
    return template[: min(ends, default=len(template))]
