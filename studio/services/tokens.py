"""API tokens: `st_PREFIX_SECRET`, of which only the prefix and a hash are kept."""

import hashlib
import hmac
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from studio.errors import NotAllowed, Refused
from studio.models import ApiToken, User
from studio.rights import Scope
from studio.services.audit import Actor, record

SCHEME = "Bearer "
LAST_USE_EVERY = timedelta(minutes=1)  # a write for each request would cost more than the request
LONGEST_DAYS = 3650


@transaction.atomic
def create_token(
    actor: Actor, user: User, name: str, *, expires_days: int | None = 90, scopes: tuple[Scope, ...] = tuple(Scope)
) -> tuple[ApiToken, str]:
    """A new token and its text, which is shown once. Raises NotAllowed, or Refused for a bad name or time."""
    if actor.user != user:
        actor.must_administer("make tokens for others")
    if not user.is_active:
        raise NotAllowed(f"make a token for {user.username}, who is disabled")
    if not name.strip() or len(name) > 100:
        raise Refused("Give the token a name of 1 to 100 characters, such as the script that will use it.")
    if expires_days is not None and not 1 <= expires_days <= LONGEST_DAYS:
        raise Refused(f"A token lasts 1 to {LONGEST_DAYS} days.")
    prefix = secrets.token_hex(4)
    text = f"st_{prefix}_{secrets.token_urlsafe(32)}"
    token = ApiToken.objects.create(
        user=user,
        name=name.strip(),
        prefix=prefix,
        sha256=_sha256(text),
        scopes=[scope.value for scope in scopes],
        expires_at=timezone.now() + timedelta(days=expires_days) if expires_days else None,
    )
    record(actor, "token.created", user.username, after={"name": token.name, "prefix": prefix, "days": expires_days})
    return token, text


@transaction.atomic
def revoke_token(actor: Actor, token: ApiToken) -> None:
    """Closes the token for good; sockets that it opened close within 2 s. Raises NotAllowed."""
    if actor.user != token.user:
        actor.must_administer("revoke others' tokens")
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(actor, "token.revoked", token.user.username, before={"name": token.name, "prefix": token.prefix})


def user_of_bearer(header: str | None) -> tuple[User, ApiToken] | None:
    """The person and the token of an `Authorization` header, or None if it opens nothing."""
    if not header or not header.startswith(SCHEME):
        return None
    text = header.removeprefix(SCHEME).strip()
    token = ApiToken.objects.usable().select_related("user").filter(prefix=_prefix(text)).first()
    if token is None or not hmac.compare_digest(token.sha256, _sha256(text)):
        return None
    _note_use(token)
    return token.user, token


def token_of(request: HttpRequest) -> ApiToken | None:
    """The token that opened the door to this request; None for a cookie."""
    return getattr(request, "api_token", None)


def _note_use(token: ApiToken) -> None:
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at < now - LAST_USE_EVERY:
        long_ago = Q(last_used_at=None) | Q(last_used_at__lt=now - LAST_USE_EVERY)
        ApiToken.objects.filter(long_ago, pk=token.pk).update(last_used_at=now)


def _prefix(text: str) -> str:
    parts = text.split("_", 2)
    is_ours = len(parts) == 3 and parts[0] == "st" and len(parts[1]) == 8 and parts[1].isascii() and parts[1].isalnum()
    return parts[1] if is_ours else ""


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
