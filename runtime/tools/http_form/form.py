"""An HTTP tool as a form: what is sent for a call, with places for its arguments and for secrets."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from runtime.tools.http_form.errors import FormRefused
from runtime.tools.http_form.response_path import checked_path
from runtime.tools.http_form.template import SECRET, Placeholder, placeholders
from runtime.tools.http_form.url_template import check_url_template
from runtime.tools.outbound.errors import OutboundRefused
from runtime.tools.outbound.headers import checked_headers

BODY_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})
ALL_REST = "{*}"
"""As the whole body: an object of the arguments that stand nowhere else."""


class HttpForm(BaseModel):
    """What is sent: `{name}` stands for an argument, `{secret:NAME}` for a secret, in headers and the query alone.

    `url` follows `base_url`, which may be empty. `body` is JSON with places in it; None = no body. `response_path`
    leads to the part of a JSON answer that the model gets. `idempotency_header` carries the key of the call.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    url: str = Field(max_length=4000)
    base_url: str = Field(default="", max_length=2000)
    headers: Mapping[str, str] = {}
    body: Any = None
    response_path: str = Field(default="", max_length=300)
    idempotency_header: str = Field(default="", max_length=100)

    @property
    def template(self) -> str:
        """The whole template of the URL."""
        return f"{self.base_url.rstrip('/')}{self.url}" if self.base_url else self.url

    @property
    def secrets(self) -> tuple[str, ...]:
        """The names of the secrets that it sends."""
        return tuple(dict.fromkeys(place.name for place in self._places() if place.kind == SECRET))

    @property
    def arguments(self) -> frozenset[str]:
        """The arguments that have a place of their own."""
        return frozenset(place.name for place in self._places() if place.kind != SECRET)

    def check(self, schema: Mapping[str, Any]) -> None:
        """Raises FormRefused for a place that cannot be filled by arguments of this schema, or must not be."""
        in_path = check_url_template(self.template)
        checked_path(self.response_path)
        self._check_headers()
        if self.body is not None and self.method not in BODY_METHODS:
            raise FormRefused(f"A {self.method} has no body. Leave the body empty, or choose another method.")
        if any(place.kind == SECRET for place in _placeholders_in(self.body)):
            raise FormRefused("A secret goes into a header or the query of the URL, never into the body.")
        properties = schema.get("properties", {})
        for name in sorted(self.arguments):
            if name not in properties:
                raise FormRefused(f"The place {{{name}}} has no argument. Add {name} to what the tool needs.")
        for name in in_path:
            if name not in schema.get("required", ()):
                raise FormRefused(f"The argument {name} stands in the path, so it must always be given.")
        if self.body != ALL_REST:
            unused = sorted(set(properties) - self.arguments)
            if unused:
                raise FormRefused(f"The argument {unused[0]} stands nowhere. Write {{{unused[0]}}} where it goes.")

    def _check_headers(self) -> None:
        extra = {self.idempotency_header: "x"} if self.idempotency_header else {}
        if any(self.idempotency_header.lower() == name.lower() for name in self.headers):
            raise FormRefused(f"The header {self.idempotency_header} cannot carry a value and the key of the call.")
        try:
            checked_headers({**dict.fromkeys(self.headers, "x"), **extra})
            checked_headers({name: value for name, value in self.headers.items() if not placeholders(value)})
        except OutboundRefused as refused:
            raise FormRefused(f"{refused.sentence[0].upper()}{refused.sentence[1:]}.") from None

    def _places(self) -> Iterator[Placeholder]:
        yield from placeholders(self.template)
        for value in self.headers.values():
            yield from placeholders(value)
        yield from _placeholders_in(self.body)


def _placeholders_in(body: Any) -> Iterator[Placeholder]:
    match body:
        case str():
            yield from placeholders(body)
        case Mapping():
            for value in body.values():
                yield from _placeholders_in(value)
        case list() | tuple():
            for item in body:
                yield from _placeholders_in(item)
