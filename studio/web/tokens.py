"""Settings: the person's API tokens."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from studio.errors import StudioError
from studio.models import ApiToken
from studio.queries.accounts import tokens_of
from studio.rights import Scope
from studio.services.audit import Actor
from studio.services.tokens import create_token, revoke_token
from studio.web.form import Form
from studio.web.fresh import is_fresh, wants_fresh_sign_in
from studio.web.person import person
from studio.web.posted import posted_from

DAYS = {"7": "7 days", "30": "30 days", "90": "90 days", "365": "a year", "": "no end"}
SCOPES = {"read write": "read and write", "read": "read only"}


class TokenForm(Form):
    name = forms.CharField(
        max_length=100, help_text="What will use it, such as nightly-report.", widget=forms.TextInput
    )
    scopes = forms.ChoiceField(label="May", choices=list(SCOPES.items()), initial="read write")
    days = forms.ChoiceField(label="Lasts", choices=list(DAYS.items()), initial="90", required=False)


@require_safe
def tokens(request: HttpRequest) -> HttpResponse:
    """The person's API tokens, and a form for a new one."""
    return _page(request, TokenForm())


@posted_from("settings-tokens")
@wants_fresh_sign_in("settings-tokens")
def token_create(request: HttpRequest) -> HttpResponse:
    """Makes a token; its text is on the answer's page and nowhere else."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=400)
    scopes = tuple(Scope(word) for word in form.cleaned_data["scopes"].split())
    days = int(form.cleaned_data["days"]) if form.cleaned_data["days"] else None
    try:
        _, text = create_token(
            Actor.of(request), person(request), form.cleaned_data["name"], expires_days=days, scopes=scopes
        )
    except StudioError as error:
        form.add_error(None, str(error))
        return _page(request, form, status=error.status)
    return _page(request, TokenForm(), new_token=text)


@require_POST
def token_revoke(request: HttpRequest, public_id: str) -> HttpResponse:
    """Closes one of the person's tokens."""
    token = get_object_or_404(ApiToken.objects.visible_to(person(request)), public_id=public_id)
    revoke_token(Actor.of(request), token)
    messages.success(request, f"Token {token.name} is revoked")
    return redirect("settings-tokens")


def _page(request: HttpRequest, form: TokenForm, *, new_token: str = "", status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "tokens": tokens_of(person(request)),
        "new_token": new_token,
        "is_fresh": is_fresh(request),
        "section": "tokens",
    }
    return render(request, "settings/tokens.html", context, status=status)
