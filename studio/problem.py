"""RFC 9457 problem details: how the API says what went wrong."""

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, JsonResponse

TOKEN_PREFIX = "/amp/"
API_PREFIXES = (TOKEN_PREFIX, "/hooks/")


def is_api(request: HttpRequest) -> bool:
    """True if the request is for the API, which answers problems and never pages."""
    return request.path_info.startswith(API_PREFIXES)


def takes_tokens(request: HttpRequest) -> bool:
    """True if a Bearer token opens the door there."""
    return request.path_info.startswith(TOKEN_PREFIX)


def problem(status: int, detail: str, **more: Any) -> JsonResponse:
    """An `application/problem+json` answer; `detail` is the sentence for the person."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    response = JsonResponse(body, status=status, content_type="application/problem+json")
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = "Bearer"
    return response
