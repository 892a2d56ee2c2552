"""Settings for administrators: model connections and their keys."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from studio.errors import StudioError
from studio.models import ModelConnection
from studio.queries.models import model_connections
from studio.services.audit import Actor
from studio.services.models import (
    ConnectionFacts,
    add_connection,
    change_connection,
    check_connection,
    facts_of,
    remove_connection,
)
from studio.web.form import Form
from studio.web.fresh import is_fresh, wants_fresh_sign_in
from studio.web.person import person
from studio.web.posted import posted_from

SECRET_INPUT = forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"})


CLIENTS = [
    ("", "Whichever fits"),
    ("native", "Speaks OpenAI's protocol directly (fast)"),
    ("litellm", "Through LiteLLM (any provider)"),
]


class FactsForm(Form):
    """A connection without its name."""

    litellm_model = forms.CharField(
        label="Model", max_length=200, help_text="provider/model, such as anthropic/claude-sonnet-4."
    )
    address = forms.CharField(
        max_length=500, required=False, help_text="Only for a server of your own, such as http://localhost:11434/v1."
    )
    client = forms.ChoiceField(
        label="How it is reached", choices=CLIENTS, required=False, help_text="Directly only works with an address."
    )
    key = forms.CharField(
        max_length=2000, required=False, help_text="Encrypted, and never shown again.", widget=SECRET_INPUT
    )
    context_window = forms.IntegerField(min_value=1, required=False, help_text="Tokens that the model can read.")
    input_price_usd = forms.FloatField(
        label="Price of input", min_value=0, required=False, help_text="US dollars for a million tokens."
    )
    output_price_usd = forms.FloatField(
        label="Price of output", min_value=0, required=False, help_text="US dollars for a million tokens."
    )

    def facts(self) -> ConnectionFacts:
        """What was entered; the form is valid."""
        said = self.cleaned_data
        return ConnectionFacts(
            said["litellm_model"],
            said["address"],
            said["context_window"],
            said["input_price_usd"],
            said["output_price_usd"],
            said["client"],
        )


class NewForm(FactsForm):
    name = forms.CharField(max_length=64, help_text="What agent files call it, such as our-gpt.")
    field_order = ["name", "litellm_model", "key"]


@require_safe
def models(request: HttpRequest) -> HttpResponse:
    """All connections, and a form for a new one."""
    return _list(request, NewForm())


@posted_from("settings-models")
@wants_fresh_sign_in("settings-models")
def model_add(request: HttpRequest) -> HttpResponse:
    """Adds a connection and asks it for one token."""
    form, actor = NewForm(request.POST), Actor.of(request)
    if not form.is_valid():
        return _list(request, form, status=400)
    try:
        connection = add_connection(actor, form.cleaned_data["name"], form.facts(), key=form.cleaned_data["key"])
    except StudioError as error:
        form.add_error(None, str(error))
        return _list(request, form, status=error.status)
    _say(request, connection, check_connection(actor, connection))
    return redirect("settings-models")


@require_safe
def model(request: HttpRequest, public_id: str) -> HttpResponse:
    """One connection to edit."""
    connection = _connection(request, public_id)
    facts = facts_of(connection).told()
    return _one(request, connection, FactsForm(initial=facts | {"litellm_model": facts["model"]}))


@posted_from("settings-model")
@wants_fresh_sign_in("settings-models")
def model_change(request: HttpRequest, public_id: str) -> HttpResponse:
    """Changes facts, and the key if one was entered; then asks the model for one token."""
    connection, form, actor = _connection(request, public_id), FactsForm(request.POST), Actor.of(request)
    if not form.is_valid():
        return _one(request, connection, form, status=400)
    try:
        change_connection(actor, connection, form.facts(), key=form.cleaned_data["key"])
    except StudioError as error:
        form.add_error(None, str(error))
        return _one(request, connection, form, status=error.status)
    _say(request, connection, check_connection(actor, connection))
    return redirect("settings-models")


@require_POST
def model_test(request: HttpRequest, public_id: str) -> HttpResponse:
    """Asks the model for one token and says what came of it."""
    connection = _connection(request, public_id)
    fault = check_connection(Actor.of(request), connection)
    if request.htmx:  # type: ignore[attr-defined]  # the middleware of django-htmx puts it there
        return render(request, "settings/_model_row.html", {"connection": connection})
    _say(request, connection, fault)
    return redirect("settings-models")


@require_POST
@wants_fresh_sign_in("settings-models")
def model_remove(request: HttpRequest, public_id: str) -> HttpResponse:
    """Takes a connection away with its key."""
    connection = _connection(request, public_id)
    remove_connection(Actor.of(request), connection)
    messages.success(request, f"Model connection {connection.name} is removed")
    return redirect("settings-models")


def _connection(request: HttpRequest, public_id: str) -> ModelConnection:
    return get_object_or_404(model_connections(person(request)), public_id=public_id)


def _say(request: HttpRequest, connection: ModelConnection, fault: str) -> None:
    if fault:
        messages.error(request, f"{connection.name} does not answer. {fault}")
    else:
        messages.success(request, f"{connection.name} answers")


def _list(request: HttpRequest, form: NewForm, *, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "connections": model_connections(person(request)),
        "is_fresh": is_fresh(request),
        "section": "models",
    }
    return render(request, "settings/models.html", context, status=status)


def _one(request: HttpRequest, connection: ModelConnection, form: FactsForm, *, status: int = 200) -> HttpResponse:
    context = {"form": form, "connection": connection, "is_fresh": is_fresh(request), "section": "models"}
    return render(request, "settings/models_edit.html", context, status=status)
