"""`Authorization: Bearer TOKEN` on the API's paths."""

from collections.abc import Awaitable, Callable

from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from studio.models import User
from studio.problem import problem, takes_tokens
from studio.rights import Scope
from studio.services.tokens import user_of_bearer

SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


class Bearer(MiddlewareMixin):
    """Sets `request.user` and `request.api_token`; a token that does not open the door is answered 401."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        request.api_token = None  # type: ignore[attr-defined]  # read with `services.tokens.token_of`
        header = request.headers.get("Authorization")
        if header is None or not takes_tokens(request):
            return None
        found = user_of_bearer(header)
        if found is None:
            return problem(401, "The token is unknown, expired or revoked. Make a new one under Settings, API tokens.")
        user, token = found
        scope = Scope.READ if request.method in SAFE_METHODS else Scope.WRITE
        if scope not in token.scopes:
            return problem(403, f"This token does not have the scope {scope.value}. Make one that has it.")
        request.user = user
        request.api_token = token  # type: ignore[attr-defined]
        request.auser = _already(user)
        return None


def _already(user: User) -> Callable[[], Awaitable[User]]:
    async def auser() -> User:
        return user

    return auser
