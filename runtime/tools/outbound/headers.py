"""The headers that a request may carry."""

import re
from collections.abc import Mapping

from runtime.tools.outbound.errors import OutboundRefused

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_MOST_HEADERS = 32
_LONGEST_VALUE = 4096
_OURS = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
# Across origins only these go on: any other may be a credential under a name of its own.
_HARMLESS = frozenset({"accept", "accept-language", "content-type", "user-agent"})


def checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers, if they can be sent as they are. Raises OutboundRefused."""
    if len(headers) > _MOST_HEADERS:
        raise OutboundRefused(f"at most {_MOST_HEADERS} headers can be sent")
    for name, value in headers.items():
        if not _NAME.fullmatch(name):
            raise OutboundRefused(f"{name[:100]!r} is not the name of a header")
        if name.lower() in _OURS or name.lower().startswith(("proxy-", "sec-")):
            raise OutboundRefused(f"the header {name} is set by the studio; leave it out")
        if len(value) > _LONGEST_VALUE or not all(" " <= character <= "~" or character == "\t" for character in value):
            raise OutboundRefused(f"the header {name} is too long, or has characters that no header has")
    return dict(headers)


def without_credentials(headers: Mapping[str, str]) -> dict[str, str]:
    """What of the headers may go on to another origin."""
    return {name: value for name, value in headers.items() if name.lower() in _HARMLESS}
