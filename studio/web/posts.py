"""Answers to what pages post: to a script in JSON, to a plain form by leading back to the page."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from studio.errors import StudioError
from studio.web.schema_form import NotOfItsKind

MAX_KEY = 200


def is_script(request: HttpRequest) -> bool:
    """Whether the page's script asks, and puts the answer in place itself."""
    return request.headers.get("Accept", "") == "application/json"


def key_of(request: HttpRequest) -> str:
    """The idempotency key of the header, or of the form's own field; a fresh one for a form without."""
    return (request.headers.get("Idempotency-Key") or request.POST.get("key") or uuid4().hex)[:MAX_KEY]


def text_of(request: HttpRequest, name: str) -> str:
    """A text as it was written: forms send each end of a line as two characters."""
    return request.POST.get(name, "").replace("\r\n", "\n")


def posted[**P](view: Callable[Concatenate[HttpRequest, P], HttpResponse]) -> Callable[..., HttpResponse]:
    """For a view that only takes POSTs: what a service refuses is said to a script as `{"error": sentence}`."""

    @require_POST
    @wraps(view)
    def answered(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except StudioError as error:
            if not is_script(request):
                raise
            return JsonResponse({"error": str(error), **_field(error)}, status=error.status)

    return answered


def _field(error: StudioError) -> dict[str, str]:
    """The field of the form that the error is about, if it is about one."""
    return {"field": error.field.name} if isinstance(error, NotOfItsKind) else {}


def done(request: HttpRequest, session: str, said: str = "", **body: Any) -> HttpResponse:
    """It was accepted: 202 for a script, the session's page again for a form."""
    if is_script(request):
        return JsonResponse(body, status=202)
    if said:
        messages.success(request, said)
    return redirect("session", session)
