"""Settings of the person: password and signed-in browsers."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import HASH_SESSION_KEY
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from studio.errors import StudioError
from studio.models import Browser
from studio.queries.accounts import browsers_of
from studio.services.accounts import change_password
from studio.services.audit import Actor
from studio.services.signin import sign_out_browser
from studio.web.browser_words import browser_words
from studio.web.form import Form
from studio.web.fresh import is_fresh, wants_fresh_sign_in
from studio.web.person import person
from studio.web.posted import posted_from

NEW_PASSWORD = {"autocomplete": "new-password"}


class NewPasswordForm(Form):
    new = forms.CharField(
        label="New password",
        max_length=1000,
        strip=False,
        help_text="At least 10 characters, and not one that many people use.",
        widget=forms.PasswordInput(attrs=NEW_PASSWORD),
    )
    again = forms.CharField(
        label="The same again", max_length=1000, strip=False, widget=forms.PasswordInput(attrs=NEW_PASSWORD)
    )

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("new") != self.cleaned_data.get("again"):
            self.add_error("again", "The two passwords differ. Type the same one twice.")
        return self.cleaned_data


@require_safe
def settings(_request: HttpRequest) -> HttpResponse:
    """Settings open on the person's own page."""
    return redirect("settings-account")


@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """The person's password and browsers."""
    return _page(request, NewPasswordForm())


@posted_from("settings-account")
@wants_fresh_sign_in("settings-account")
def password(request: HttpRequest) -> HttpResponse:
    """Changes the password and signs out the other browsers."""
    user, form = person(request), NewPasswordForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=400)
    try:
        change_password(Actor.of(request), user, form.cleaned_data["new"], keep_session=request.session.session_key)
    except StudioError as error:
        form.add_error("new", str(error))
        return _page(request, form, status=error.status)
    _keep_signed_in(request)
    messages.success(request, "Password changed. Other browsers are signed out")
    return redirect("settings-account")


@require_POST
def browser_sign_out(request: HttpRequest, pk: int) -> HttpResponse:
    """Ends the session of one of the person's browsers."""
    browser = get_object_or_404(Browser.objects.visible_to(person(request)), pk=pk)
    sign_out_browser(Actor.of(request), browser)
    messages.success(request, "That browser is signed out")
    return redirect("settings-account")


def _keep_signed_in(request: HttpRequest) -> None:
    """Keeps this browser's session valid, under its old key, after the password changed."""
    request.session[HASH_SESSION_KEY] = person(request).get_session_auth_hash()


def _page(request: HttpRequest, form: NewPasswordForm, *, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "browsers": [(browser, browser_words(browser.agent_name)) for browser in browsers_of(person(request))],
        "this_session": request.session.session_key,
        "is_fresh": is_fresh(request),
        "section": "account",
    }
    return render(request, "settings/account.html", context, status=status)
