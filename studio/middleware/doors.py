"""Default deny: a route answers a signed-in person, by its rule, or is on the list of open doors."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from studio.doors import OPEN_DOORS
from studio.problem import is_api, problem
from studio.route_rules import Rule, rule_of


class Doors(LoginRequiredMiddleware):
    """Refuses before the view runs. What needs a login is never kept by a cache."""

    def process_view(self, request: HttpRequest, view: Callable, args: Any, kwargs: Any) -> HttpResponseBase | None:
        route = request.resolver_match.view_name if request.resolver_match else ""
        if route in OPEN_DOORS:
            return None
        if not request.user.is_authenticated:
            return self.handle_no_permission(request, view)
        rule = rule_of(route)
        if rule is None:
            raise PermissionDenied(f"The route {route!r} has no owner rule in studio/route_rules.py.")
        if rule is Rule.ADMINISTRATOR and not request.user.is_administrator:
            raise PermissionDenied("Only administrators see this page. Ask one of them.")
        return None

    def get_login_url(self, view: Callable) -> str:
        """The one sign-in page; Django's admin would send people to its own."""
        return settings.LOGIN_URL

    def handle_no_permission(self, request: HttpRequest, view: Callable) -> Any:
        if is_api(request):
            return problem(401, "Sign in, or send a Bearer token. Make one under Settings, API tokens.")
        redirect = super().handle_no_permission(request, view)
        if request.headers.get("HX-Request") == "true":
            return HttpResponse(status=401, headers={"HX-Redirect": redirect.headers["Location"]})
        return redirect

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault("Cache-Control", "no-store")
        return response
