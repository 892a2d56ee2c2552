"""How a reader comes in: by a Bearer token, or by the cookie of a page of this studio."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from channels.auth import get_user
from django.conf import settings
from django.http.request import validate_host

from studio.live.log import in_thread
from studio.live.passes import Pass
from studio.rights import Scope
from studio.services.tokens import user_of_bearer

MAX_POS = 2**53


def header(scope: dict[str, Any], name: bytes) -> str | None:
    """The header's value; None if it is missing or there are several."""
    found = [value for key, value in scope["headers"] if key == name]
    return found[0].decode("latin-1") if len(found) == 1 else None


async def pass_of(scope: dict[str, Any]) -> Pass | None:
    """What lets the sender of this handshake in; None if nothing does."""
    bearer = header(scope, b"authorization")
    if bearer is not None:
        return await pass_of_bearer(bearer)
    if not is_same_origin(scope):
        return None
    user = await get_user(scope)
    if not user.is_authenticated:
        return None
    return Pass(int(user.pk), session_key=scope["session"].session_key)


@in_thread
def pass_of_bearer(bearer: str) -> Pass | None:
    found = user_of_bearer(bearer)
    if found is None or Scope.READ not in found[1].scopes:
        return None
    return Pass(found[0].pk, token_pk=found[1].pk)


def is_same_origin(scope: dict[str, Any]) -> bool:
    """Whether a page of this studio opens the socket: a missing Origin, or another, is refused."""
    origin, host = header(scope, b"origin"), header(scope, b"host")
    if not origin or not host:
        return False
    parts = urlsplit(origin)
    if parts.scheme not in ("http", "https") or parts.netloc.lower() != host.lower():
        return False
    name = parts.hostname or ""
    return validate_host(f"[{name}]" if ":" in name else name, settings.ALLOWED_HOSTS)


def cursor_of(query: str) -> int:
    """`?after=POS`; 0 if it is not given, -1 (which no log has) if it is no number."""
    values = parse_qs(query).get("after", ["0"])
    return cursor(values[-1])


def cursor(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 17 and int(text) < MAX_POS else -1
