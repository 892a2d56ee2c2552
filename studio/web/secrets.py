"""Settings for administrators: secrets, and the hosts that they are bound to."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from studio.errors import StudioError
from studio.models import Secret
from studio.queries.agents import project_for_new_agents
from studio.queries.secrets import secrets_for
from studio.services.accounts import default_project
from studio.services.audit import Actor
from studio.services.secrets import change_secret, remove_secret, store_secret
from studio.web.form import Form
from studio.web.fresh import is_fresh, wants_fresh_sign_in
from studio.web.person import person
from studio.web.posted import posted_from

VALUE = forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"})


class SecretForm(Form):
    """Where a secret may be sent, and its value."""

    hosts = forms.CharField(
        max_length=2000,
        required=False,
        help_text="With commas between them, such as orders.example, api.example:8443. Without one it is never sent.",
    )
    value = forms.CharField(max_length=4000, required=False, help_text="Encrypted, never shown again.", widget=VALUE)

    def host_list(self) -> list[str]:
        """The hosts that were entered; the form is valid."""
        return [host.strip() for host in self.cleaned_data["hosts"].split(",") if host.strip()]


class NewSecretForm(SecretForm):
    name = forms.CharField(max_length=64, help_text="What tools and agent files call it, such as ORDERS_TOKEN.")
    field_order = ["name", "value", "hosts"]


@require_safe
def secrets(request: HttpRequest) -> HttpResponse:
    """All secrets by name, and a form for a new one."""
    return _list(request, NewSecretForm())


@posted_from("settings-secrets")
@wants_fresh_sign_in("settings-secrets")
def secret_add(request: HttpRequest) -> HttpResponse:
    """Stores a secret."""
    form = NewSecretForm(request.POST)
    project = project_for_new_agents(person(request)) or default_project()
    if not form.is_valid():
        return _list(request, form, status=400)
    said = form.cleaned_data
    try:
        store_secret(Actor.of(request), project, said["name"], said["value"], form.host_list())
    except StudioError as error:
        form.add_error(None, str(error))
        return _list(request, form, status=error.status)
    messages.success(request, f"The secret {said['name']} is stored")
    return redirect("settings-secrets")


@require_POST
@wants_fresh_sign_in("settings-secrets")
def secret_change(request: HttpRequest, public_id: str) -> HttpResponse:
    """Changes the hosts, and the value if one was entered."""
    secret, form = _secret(request, public_id), SecretForm(request.POST)
    try:
        if form.is_valid():
            change_secret(Actor.of(request), secret, value=form.cleaned_data["value"], hosts=form.host_list())
            messages.success(request, f"The secret {secret.name} is changed")
    except StudioError as error:
        messages.error(request, str(error))
    return redirect("settings-secrets")


@require_POST
@wants_fresh_sign_in("settings-secrets")
def secret_remove(request: HttpRequest, public_id: str) -> HttpResponse:
    """Takes a secret away."""
    secret = _secret(request, public_id)
    remove_secret(Actor.of(request), secret)
    messages.success(request, f"The secret {secret.name} is removed")
    return redirect("settings-secrets")


def _secret(request: HttpRequest, public_id: str) -> Secret:
    return get_object_or_404(secrets_for(person(request)), public_id=public_id)


def _list(request: HttpRequest, form: NewSecretForm, *, status: int = 200) -> HttpResponse:
    rows = [
        (secret, SecretForm(initial={"hosts": ", ".join(secret.hosts)}, auto_id=f"{secret.public_id}-%s"))
        for secret in secrets_for(person(request))
    ]
    context = {"form": form, "rows": rows, "is_fresh": is_fresh(request), "section": "secrets"}
    return render(request, "settings/secrets.html", context, status=status)
