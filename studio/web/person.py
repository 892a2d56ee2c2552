"""The signed-in person of a request."""

from django.http import HttpRequest

from studio.models import User


def person(request: HttpRequest) -> User:
    """The user behind a closed door; the doors let nobody else in."""
    user = request.user
    assert user.is_authenticated, "a route behind a closed door has a user"
    return user
