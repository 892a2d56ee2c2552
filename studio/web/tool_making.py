"""New tools: written as a form, chosen from an API document, or offered by an MCP server."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from runtime.tools.openapi.document import LIMITS, ApiDocument
from studio.errors import Refused, StudioError
from studio.models import Project, ToolSource
from studio.queries.secrets import secret_names
from studio.services.audit import Actor
from studio.services.tool_sources import (
    DocumentFacts,
    add_document,
    add_server,
    change_document,
    look_at_document,
    look_at_server,
)
from studio.services.tools import add_tool
from studio.web.form import Form
from studio.web.tool_arguments import EMPTY, KINDS, argument_rows, posted_schema, schema_text
from studio.web.tool_form import EXACT, NewToolForm
from studio.web.tools import frame, project_or_403

SPARE_ARGUMENTS = 4


class AuthForm(Form):
    """The secret that goes along, by its name."""

    secret = forms.ChoiceField(required=False, help_text="An administrator stores secrets under Settings, Secrets.")
    header = forms.CharField(max_length=100, required=False, initial="Authorization", widget=forms.TextInput(EXACT))
    scheme = forms.CharField(
        label="Prefix", max_length=30, required=False, initial="Bearer", help_text="What stands before the secret."
    )

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        secret = self.fields["secret"]
        assert isinstance(secret, forms.ChoiceField)
        secret.choices = [("", "none"), *((name, name) for name in secret_names(project))]

    def auth(self) -> dict[str, str]:
        """What was entered; the form is valid. Empty without a secret."""
        said = self.cleaned_data
        auth = {"secret": said["secret"], "header": said["header"], "prefix": said["scheme"]}
        return auth if auth["secret"] else {}


class DocumentForm(AuthForm):
    name = forms.CharField(max_length=64, help_text="What agent files call it, such as orders.")
    base_url = forms.CharField(
        label="Address",
        max_length=2000,
        required=False,
        widget=forms.TextInput(EXACT),
        help_text="Where its operations are sent to; empty = as the document says.",
    )
    field_order = ["name", "base_url", "secret", "header", "scheme"]


class ServerForm(AuthForm):
    name = forms.CharField(max_length=64, help_text="What agent files call it, such as mailroom.")
    url = forms.CharField(
        label="Address", max_length=2000, widget=forms.TextInput(EXACT), help_text="Such as https://mcp.example/mcp."
    )
    field_order = ["name", "url", "secret", "header", "scheme"]


@require_http_methods(["GET", "HEAD", "POST"])
def tool_new(request: HttpRequest) -> HttpResponse:
    """A tool that is written here."""
    project = project_or_403(request)
    form, schema = NewToolForm(request.POST or None), dict(EMPTY)
    if request.method == "POST":
        try:
            schema = posted_schema(request.POST)
            if form.is_valid():
                add_tool(Actor.of(request), project, form.cleaned_data["name"], form.facts(schema, form.sent()))
                messages.success(request, f"{form.cleaned_data['name']} is there. Agents can be given it now.")
                return redirect("tool", form.cleaned_data["name"])
        except StudioError as error:
            form.add_error(None, str(error))
    context = frame(request, project) | {
        "form": form,
        "kinds": KINDS,
        "arguments": argument_rows(schema, spare=SPARE_ARGUMENTS),
        "schema_text": schema_text(schema),
        "secrets": secret_names(project),
    }
    return render(request, "tools/new.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def document_new(request: HttpRequest) -> HttpResponse:
    """An API document: first what is in it, then the tools that were chosen from it."""
    return document_page(request, project_or_403(request), None)


def document_page(request: HttpRequest, project: Project, source: ToolSource | None) -> HttpResponse:
    """The form of a document, with its operations once it was looked at. `source`: the one that is changed."""
    form = DocumentForm(project, request.POST or None, initial=_initial(source))
    if source:
        form.fields["name"].required = False
    text = source.document if source else ""
    document, refused = None, ""
    try:
        if request.method == "POST":
            text = _text(request)
        if text:
            document = look_at_document(text, request.POST.get("base_url", "") or _initial(source).get("base_url", ""))
        if request.method == "POST" and "chosen" in request.POST and form.is_valid():
            kept = _kept(request, form, project, source, text)
            messages.success(request, f"{kept.name} is there with {kept.tools.count()} tools")
            return redirect("tool-source", kept.public_id)
    except StudioError as error:
        refused = str(error)
    context = frame(request, project) | {
        "form": form,
        "text": text,
        "document": document,
        "operations": _operations(document, request, source),
        "refused": refused,
        "source": source,
    }
    return render(request, "tools/document.html", context, status=422 if refused else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def server_new(request: HttpRequest) -> HttpResponse:
    """An MCP server: asked for its tools, of which none is open before somebody accepts them."""
    project, actor = project_or_403(request), Actor.of(request)
    form = ServerForm(project, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            source = add_server(actor, project, form.cleaned_data["name"], form.cleaned_data["url"], form.auth())
        except StudioError as error:
            form.add_error(None, str(error))
        else:
            look_at_server(actor, source)
            return redirect("tool-source", source.public_id)
    context = frame(request, project) | {"form": form}
    return render(request, "tools/server.html", context, status=422 if form.is_bound else 200)


def _kept(
    request: HttpRequest, form: DocumentForm, project: Project, source: ToolSource | None, text: str
) -> ToolSource:
    chosen = request.POST.getlist("operation")
    facts = DocumentFacts(text, chosen, form.cleaned_data["base_url"], form.auth())
    if source is None:
        return add_document(Actor.of(request), project, form.cleaned_data["name"], facts)
    return change_document(Actor.of(request), source, facts)


def _initial(source: ToolSource | None) -> dict[str, Any]:
    if source is None:
        return {}
    auth = source.settings.get("auth") or {}
    scheme = auth.get("prefix", "Bearer")
    return {"name": source.name, "base_url": source.settings.get("base_url", ""), **auth, "scheme": scheme}


def _text(request: HttpRequest) -> str:
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        return request.POST.get("text", "").replace("\r\n", "\n")
    data = file.read(LIMITS.size_bytes + 1)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused("The file is not text in UTF-8. Export it again, as JSON or YAML.") from None


def _operations(
    document: ApiDocument | None, request: HttpRequest, source: ToolSource | None
) -> list[tuple[Any, bool]]:
    """Each operation, and whether it is chosen."""
    if document is None:
        return []
    chosen = set(source.tools.values_list("original", flat=True)) if source else set()
    if "chosen" in request.POST:
        chosen = set(request.POST.getlist("operation"))
    return [(operation, operation.name in chosen) for operation in document.operations]
