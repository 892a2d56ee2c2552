"""Views that only take a POST, at an address that a browser may show: a GET of it leads back to the page."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

type View[**P] = Callable[Concatenate[HttpRequest, P], HttpResponse]


def posted_from[**P](page: str) -> Callable[[View[P]], View[P]]:
    """For a view that shows the form of the route `page` again when it refuses; both take the same arguments."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def checked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if request.method == "POST":
                return view(request, *args, **kwargs)
            return redirect(reverse(page, kwargs=kwargs))

        return require_http_methods(["GET", "HEAD", "POST"])(checked)

    return decorate
