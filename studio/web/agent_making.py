"""New agents: blank, from a template, or from a YAML text that is looked at before anything is made."""

import base64

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from runtime.domain.agent_file import AgentFile, decode_agent_file
from runtime.domain.problem import Problem
from runtime.domain.yaml_text import AGENT_FILE_LIMITS
from studio.errors import NotAllowed, StudioError
from studio.models import Agent, Project
from studio.queries.agent_facts import facts_of
from studio.queries.agents import project_for_new_agents
from studio.queries.starters import starters
from studio.services.agent_shelf import import_text, renamed_text
from studio.services.agents import check, create_agent
from studio.services.audit import Actor
from studio.web.form import Form
from studio.web.person import person
from studio.web.typed_text import as_written


class NewAgentForm(Form):
    name = forms.RegexField(
        r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?\Z",
        max_length=56,
        help_text="Small letters, digits and dashes, such as refund-desk.",
        error_messages={"invalid": "Use small letters, digits and dashes, such as refund-desk."},
    )
    start = forms.ChoiceField(label="Start from", widget=forms.RadioSelect)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        start = self.fields["start"]
        assert isinstance(start, forms.ChoiceField)
        start.choices = [(starter.key, starter.title) for starter in starters()]


@require_http_methods(["GET", "HEAD", "POST"])
def agent_new(request: HttpRequest) -> HttpResponse:
    """A name and what to start from; then the editor."""
    project = _project(request)
    form = NewAgentForm(request.POST or None, initial={"start": request.GET.get("start", "blank")})
    if request.method == "POST" and form.is_valid():
        text = next(starter.text for starter in starters() if starter.key == form.cleaned_data["start"])
        try:
            agent = create_agent(Actor.of(request), project, renamed_text(text, form.cleaned_data["name"]))
        except StudioError as error:
            form.add_error("name", str(error))
        else:
            return redirect("agent-edit", agent.name)
    status = 422 if form.is_bound else 200
    return render(request, "agents/new.html", {"form": form, "starters": starters()}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def agent_import(request: HttpRequest) -> HttpResponse:
    """A file or a pasted text: first what is in it and what is wrong with it, then the draft that it makes."""
    project = _project(request)
    if request.method != "POST":
        return render(request, "agents/import.html", {"text": ""})
    text = _given_text(request)
    if isinstance(text, Problem):
        return _preview(request, project, "", (text,))
    if "import" not in request.POST:
        return _preview(request, project, text)
    try:
        agent, is_new = import_text(Actor.of(request), project, text)
    except StudioError as error:
        return _preview(request, project, text, refused=str(error), status=error.status)
    said = f"{agent.name} is imported as a draft" if is_new else f"The draft of {agent.name} is replaced"
    messages.success(request, f"{said}. Nothing runs it before you publish it")
    return redirect("agent-edit", agent.name)


def _project(request: HttpRequest) -> Project:
    project = project_for_new_agents(person(request))
    if project is None:
        raise NotAllowed("make agents", "an administrator to make you an author")
    return project


def _given_text(request: HttpRequest) -> str | Problem:
    file = request.FILES.get("file")
    if isinstance(file, UploadedFile):
        return decode_agent_file(file.read(AGENT_FILE_LIMITS.size_bytes + 1))
    original = _original(request.POST.get("original", ""))
    return as_written(request.POST.get("text", ""), original)


def _original(encoded: str) -> str:
    """The text of the file that was looked at first, of which the text field shows all but line ends."""
    try:
        return base64.b64decode(encoded, validate=True).decode("utf-8")
    except ValueError:
        return ""


def _preview(
    request: HttpRequest,
    project: Project,
    text: str,
    problems: tuple[Problem, ...] = (),
    *,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    file: AgentFile | None = None if problems else check(project, text)
    facts = facts_of(text)
    context = {
        "text": text,
        "original": base64.b64encode(text.encode()).decode() if file else "",
        "file": file,
        "facts": facts,
        "problems": problems or (file.problems if file else ()),
        "taken": Agent.objects.filter(project=project, name=facts.name).first() if facts.name else None,
        "can_import": bool(file and file.document is not None and facts.name),
        "refused": refused,
        "previewed": True,
    }
    return render(request, "agents/import.html", context, status=status)
