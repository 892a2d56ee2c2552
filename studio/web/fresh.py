"""Re-authentication: secrets, tokens and exports want a sign-in of the last minutes."""

import time
from collections.abc import Callable
from typing import Concatenate
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

FRESH_SECONDS = 15 * 60
FRESH_KEY = "signed_in_at"


def is_fresh(request: HttpRequest) -> bool:
    """True if the person proved who they are within the last 15 minutes in this browser."""
    return time.time() - request.session.get(FRESH_KEY, 0) < FRESH_SECONDS


type View[**P] = Callable[Concatenate[HttpRequest, P], HttpResponse]


def wants_fresh_sign_in[**P](back: str) -> Callable[[View[P]], View[P]]:
    """For a view that sends the person to sign in again first, and from there to the route `back`."""

    def decorate(view: View[P]) -> View[P]:
        def checked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if is_fresh(request):
                return view(request, *args, **kwargs)
            return redirect(f"{reverse('sign-in-again')}?{urlencode({'next': reverse(back)})}")

        return checked

    return decorate
