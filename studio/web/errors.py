"""What is answered when there is nothing to answer with: a page in the studio's frame, or a problem for the API."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404
from django.views.defaults import server_error

from studio.problem import is_api, problem


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404: unknown, deleted, or not the person's to see; which of them is not said."""
    if is_api(request):
        return problem(404, "Nothing is at this address, or it is not yours to see.")
    sentence = "" if isinstance(exception, Resolver404) else str(exception)
    return render(request, "404.html", {"sentence": sentence}, status=404)


def not_allowed(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403, with the sentence of the refusal."""
    if is_api(request):
        return problem(403, str(exception) or "You may not do this. Ask an administrator for the right.")
    return render(request, "403.html", {"exception": str(exception)}, status=403)


def broken(request: HttpRequest) -> HttpResponse:
    """500: a fault of the studio; the log has it."""
    if is_api(request):
        return problem(500, "Something broke in the studio. Send the request again; the server's log has the cause.")
    return server_error(request)
