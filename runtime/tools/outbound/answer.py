"""What a server said."""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said. `headers` have lower-case names; `body` is decoded of its compression.

    `is_cut`: the body was larger than the limit, and this is its beginning.
    """

    status: int
    url: str
    headers: Mapping[str, str]
    body: bytes
    is_cut: bool = False

    @property
    def content_type(self) -> str:
        """Such as `text/html`; empty if the server did not say."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def text(self) -> str:
        """The body as text in the encoding that the server named, else UTF-8; what is none becomes U+FFFD."""
        named = self.headers.get("content-type", "").lower().partition("charset=")[2].partition(";")[0].strip(" \"'")
        try:
            encoding = codecs.lookup(named or "utf-8").name
            return self.body.decode(encoding, "replace")
        except (LookupError, ValueError):
            return self.body.decode("utf-8", "replace")
