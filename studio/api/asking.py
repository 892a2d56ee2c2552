"""What every route of the API asks of its request."""

import re

from django.http import HttpRequest

from studio.client_address import address_of
from studio.errors import Refused
from studio.models import User

KEY = re.compile(r"[\x21-\x7e]{1,200}")


def person(request: HttpRequest) -> User:
    """The user behind the door; the doors let nobody else in."""
    user = request.user
    assert isinstance(user, User), "the doors let nobody else in"
    return user


def key_of(request: HttpRequest) -> str:
    """The Idempotency-Key; empty if there is none. Raises Refused."""
    key = request.headers.get("Idempotency-Key", "")
    if key and not KEY.fullmatch(key):
        raise Refused("The Idempotency-Key must be 1 to 200 visible ASCII characters without spaces.")
    return key


def origin(request: HttpRequest) -> str:
    """Where it comes from, for the audit log."""
    return address_of(request)
