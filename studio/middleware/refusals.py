"""What a service refuses becomes a page, or a problem for the API, with its sentence."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from studio.errors import StudioError
from studio.problem import is_api, problem


class Refusals(MiddlewareMixin):
    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return refusal(request, error) if isinstance(error, StudioError) else None


def refusal(request: HttpRequest, error: StudioError) -> HttpResponse:
    """The answer that says what was refused."""
    if is_api(request):
        return problem(error.status, str(error))
    return render(request, "refused.html", {"sentence": str(error)}, status=error.status)
