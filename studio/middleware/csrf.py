"""Every write with a cookie carries the CSRF token; no view can exempt itself."""

from typing import Any

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.middleware.csrf import CsrfViewMiddleware

from studio.doors import COOKIELESS
from studio.errors import Refused
from studio.middleware.refusals import refusal
from studio.problem import is_api, problem
from studio.services.content import MAX_BODY_BYTES, TooLong
from studio.services.tokens import token_of


def _no_view_is_exempt(request: HttpRequest) -> HttpResponse:
    """Stands for the view, so that a `csrf_exempt` mark on the real one does not count."""
    raise AssertionError("only looked at")


class Csrf(CsrfViewMiddleware):
    def process_view(self, request: HttpRequest, callback: Any, args: Any, kwargs: Any) -> Any:
        route = request.resolver_match.view_name if request.resolver_match else ""
        if token_of(request) is not None or route in COOKIELESS:  # no cookie is trusted there
            return None
        try:  # the check is the first to read the form
            refused = super().process_view(request, _no_view_is_exempt, args, kwargs)
        except RequestDataTooBig:
            return refusal(request, TooLong("What you sent", MAX_BODY_BYTES))
        except (TooManyFieldsSent, TooManyFilesSent, MultiPartParserError):
            return refusal(request, Refused("The form cannot be read. Go back, reload the page and send it again."))
        if refused is not None and is_api(request):
            return problem(403, "A write with a cookie needs the X-CSRFToken header. Use a Bearer token in scripts.")
        return refused
