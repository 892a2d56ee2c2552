"""Signing in by a one-time link or by password, again before secrets, and out."""

import time

from django import forms
from django.conf import settings
from django.contrib.auth import login, logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from studio.client_address import address_of, is_loopback
from studio.errors import StudioError
from studio.models import Browser, User
from studio.queries.accounts import is_new_here
from studio.services.audit import Actor
from studio.services.signin import (
    LinkRefused,
    check_password,
    is_usable_link,
    remember_browser,
    sign_out_browser,
    use_sign_in_link,
)
from studio.web.form import Form
from studio.web.fresh import FRESH_KEY
from studio.web.person import person

BACKEND = "django.contrib.auth.backends.ModelBackend"


class PasswordForm(Form):
    password = forms.CharField(
        max_length=1000,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password", "autofocus": True}),
    )


class SignInForm(PasswordForm):
    username = forms.CharField(
        label="Name", max_length=64, widget=forms.TextInput(attrs={"autocomplete": "username", "autofocus": True})
    )
    field_order = ("username", "password")


@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """The sign-in page; a right name and password lead on to `next`."""
    if request.user.is_authenticated:
        return redirect(_next(request))
    form = SignInForm(request.POST or None)
    status = 200
    if form.is_valid():
        try:
            _let_in(request, check_password(**form.cleaned_data, origin=address_of(request)))
            return redirect(_next(request))
        except StudioError as error:
            form.add_error(None, str(error))
            status = error.status
    return render(request, "registration/sign_in.html", {"form": form, "next": _next(request)}, status=status)


@require_http_methods(["GET", "POST"])
def sign_in_link(request: HttpRequest, secret: str) -> HttpResponse:
    """A page with one button; pressing it uses the link up."""
    if not settings.SIGN_IN_LINKS_ANYWHERE and not is_loopback(request):
        return render(request, "registration/link.html", {"obstacle": "elsewhere"}, status=403)
    if request.method != "POST":
        return render(request, "registration/link.html", {"obstacle": "" if is_usable_link(secret) else "spent"})
    try:
        user = use_sign_in_link(secret, address_of(request))
    except LinkRefused as error:
        return render(request, "registration/link.html", {"obstacle": "spent"}, status=error.status)
    _let_in(request, user)
    return redirect("welcome" if is_new_here(user) else _next(request))


@require_http_methods(["GET", "POST"])
def sign_in_again(request: HttpRequest) -> HttpResponse:
    """Asks a signed-in person for the password once more before secrets and tokens."""
    user = person(request)
    form = PasswordForm(request.POST or None)
    status = 200
    if form.is_valid():
        try:
            check_password(user.username, form.cleaned_data["password"], address_of(request))
            request.session[FRESH_KEY] = time.time()
            return redirect(_next(request))
        except StudioError as error:
            form.add_error("password", str(error))
            status = error.status
    context = {"form": form, "next": _next(request), "has_password": user.has_usable_password()}
    return render(request, "registration/again.html", context, status=status)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Ends this browser's session."""
    browser = Browser.objects.visible_to(person(request)).filter(session_key=request.session.session_key).first()
    if browser is not None:
        sign_out_browser(Actor.of(request), browser)
    logout(request)
    return redirect("sign-in")


def _let_in(request: HttpRequest, user: User) -> None:
    login(request, user, backend=BACKEND)
    request.session[FRESH_KEY] = time.time()
    request.session.save()
    remember_browser(
        user,
        session_key=request.session.session_key or "",
        origin=address_of(request),
        agent_name=request.headers.get("User-Agent", ""),
    )


def _next(request: HttpRequest) -> str:
    """Where to go on to: the wanted page if it is one of ours."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    is_path = wanted.startswith("/")  # anything else is taken for the name of a route by `redirect`
    if is_path and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None, require_https=request.is_secure()):
        return wanted
    return "/"
