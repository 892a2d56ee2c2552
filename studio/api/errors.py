"""Every error of the API as RFC 9457 problem details, with a sentence."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from runtime.domain.problem import Problem
from studio.errors import StudioError
from studio.problem import problem
from studio.queries.instants import instant
from studio.services.agent_errors import NotPublishable, TextRefused
from studio.services.content import MAX_BODY_BYTES, TooLong
from studio.services.decisions import AlreadyDecided

NOT_FOUND = "There is nothing of that name that you may see."


class NotFound(StudioError):
    """There is no such thing, or it is not theirs to see."""

    status = 404

    def __str__(self) -> str:
        return NOT_FOUND


def handle_errors(api: NinjaAPI) -> None:
    api.add_exception_handler(StudioError, _refused)
    api.add_exception_handler(ValidationError, _invalid)
    api.add_exception_handler(Http404, lambda request, error: problem(404, NOT_FOUND))
    api.add_exception_handler(RequestDataTooBig, _too_big)
    api.add_exception_handler(HttpError, _other)


def _too_big(request: HttpRequest, error: Any) -> HttpResponse:
    return _refused(request, TooLong("The body", MAX_BODY_BYTES))


def _other(request: HttpRequest, error: Any) -> HttpResponse:
    if isinstance(error.__cause__, StudioError):  # ninja hides what its parser raises
        return _refused(request, error.__cause__)
    return problem(error.status_code, str(error))


def _refused(request: HttpRequest, error: Any) -> HttpResponse:
    return problem(error.status, str(error), **_more(error))


def _more(error: StudioError) -> dict[str, Any]:
    match error:
        case AlreadyDecided(decided=decided):
            return {"decided": {"verdict": decided.verdict, "by": decided.by, "at": instant(decided.at)}}
        case NotPublishable(problems=problems) | TextRefused(problems=problems):
            return {"problems": [problem_shown(item) for item in problems]}
        case _:
            return {}


def problem_shown(item: Problem) -> dict[str, Any]:
    """A problem of an agent file: where, how bad, what."""
    return {
        "line": item.line,
        "column": item.column,
        "path": item.path,
        "severity": item.severity.value,
        "message": item.message,
    }


def _invalid(request: HttpRequest, error: Any) -> HttpResponse:
    found: Sequence[dict[str, Any]] = error.errors
    listed = [{"at": _place(item["loc"]), "message": _sentence(item)} for item in found[:20]]
    first = listed[0]
    return problem(422, f"{first['at']}: {first['message']}", errors=listed)


def _place(loc: Sequence[Any]) -> str:
    """`$.payload.form` of a body, `limit` of a query."""
    parts = [str(part) for part in loc]
    if parts[:1] == ["body"]:
        return ".".join(["$", *parts[2:]])[:200]
    return ".".join(parts[1:])[:200]


def _sentence(item: dict[str, Any]) -> str:
    if item["type"] == "extra_forbidden":
        return "There is no such field. Leave it out."
    if item["type"] == "missing":
        return "This field is required."
    return f"{item['msg']}."
