"""The agent editor: one text, shown as YAML and as a form. Answers JSON to its scripts, pages to plain forms."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from studio.errors import Refused, StudioError
from studio.models import Agent
from studio.queries.agents import draft_state
from studio.services.agent_errors import DraftMoved, NotPublishable, TextRefused
from studio.services.agents import check, may_write, must_write, publish, save_draft
from studio.services.audit import Actor
from studio.services.rollout_agent import newest_text
from studio.services.sessions import try_agent
from studio.services.start_input import input_schema_of
from studio.web.agents import agent_or_404
from studio.web.editor_page import page_context, parts, problem_data
from studio.web.person import person
from studio.web.posted import posted_from
from studio.web.text_diff import diff
from studio.web.typed_text import as_typed, as_written

VIEWS = ("form", "both", "yaml")


def writable_agent(request: HttpRequest, name: str) -> Agent:
    """The agent, for somebody who may change it. Raises Http404, NotAllowed."""
    agent = agent_or_404(request, name)
    must_write(Actor.of(request), agent.project)
    return agent


def wants_json(request: HttpRequest) -> bool:
    """Whether the editor's own script asks."""
    return request.headers.get("Accept", "").startswith("application/json")


def base_of(request: HttpRequest) -> int:
    """The draft number that the browser started from; 0, which is always old, if it does not say."""
    base = request.POST.get("base", "")
    return int(base) if base.isdecimal() and len(base) < 10 else 0


@require_safe
def agent_edit(request: HttpRequest, name: str) -> HttpResponse:
    """The editor on the agent's draft."""
    agent = writable_agent(request, name)
    return editor_page(request, agent, as_typed(agent.draft), base=agent.draft_number)


@require_POST
def agent_check(request: HttpRequest, name: str) -> HttpResponse:
    """What is wrong with a text that is not saved, and the form that shows it."""
    agent = writable_agent(request, name)
    return JsonResponse(answer(agent, as_typed(request.POST.get("text", ""))))


@posted_from("agent-edit")
def agent_draft(request: HttpRequest, name: str) -> HttpResponse:
    """Saves the draft as typed; `fix` first does what the fix of that problem says."""
    agent = writable_agent(request, name)
    text = _with_fix(agent, as_typed(request.POST.get("text", "")), request.POST.get("fix", ""))
    try:
        saved = save_draft(Actor.of(request), agent, as_written(text, agent.draft), base=base_of(request))
    except StudioError as error:
        return refused(request, agent, text, error)
    if wants_json(request):
        return JsonResponse(answer(saved, text, number=saved.draft_number))
    messages.success(request, "Draft saved")
    return redirect("agent-edit", saved.name)


@posted_from("agent-edit")
def agent_publish(request: HttpRequest, name: str) -> HttpResponse:
    """Saves what was typed and makes it the next version."""
    agent, actor = writable_agent(request, name), Actor.of(request)
    text, base = as_typed(request.POST.get("text", agent.draft)), base_of(request)
    try:
        if not request.POST.get("note", "").strip():
            raise Refused("Say in a few words what changed, so that others can follow the history.")
        saved = save_draft(actor, agent, as_written(text, agent.draft), base=base)
        version = publish(actor, saved, request.POST.get("note", ""), base=saved.draft_number)
    except StudioError as error:
        return refused(request, agent, text, error)
    messages.success(request, f"Published v{version.number}. Running rollouts keep their version")
    url = reverse("agent-edit", args=[version.agent.name])
    return JsonResponse({"url": url}) if wants_json(request) else redirect(url)


@require_POST
def agent_try(request: HttpRequest, name: str) -> HttpResponse:
    """Opens the playground on the published version, or on the draft (`draft`), saved first if a text is sent."""
    agent, is_draft = agent_or_404(request, name), "draft" in request.POST
    text = as_typed(request.POST.get("text", agent.draft))
    try:
        if is_draft and "text" in request.POST:
            save_draft(Actor.of(request), agent, as_written(text, agent.draft), base=base_of(request))
        text_to_run = agent.draft if is_draft else newest_text(agent)[0]
        if input_schema_of(text_to_run) is not None:
            return _led_to(request, _start_form(agent, draft=is_draft))
        session = try_agent(person(request), agent.name, draft=is_draft)
    except StudioError as error:
        if not is_draft or not may_write(Actor.of(request), agent.project):
            raise
        return refused(request, agent, text, error)
    return _led_to(request, reverse("session", args=[session]))


def _start_form(agent: Agent, *, draft: bool) -> str:
    """Where a session with an agent begins that asks for a form."""
    return f"{reverse('session-new')}?{urlencode({'agent': agent.name, **({'draft': '1'} if draft else {})})}"


def _led_to(request: HttpRequest, url: str) -> HttpResponse:
    return JsonResponse({"url": url}) if wants_json(request) else redirect(url)


def answer(agent: Agent, text: str, *, number: int | None = None) -> dict[str, Any]:
    """What the editor's script needs to draw after a check, an edit or (with its new `number`) a save."""
    context = page_context(agent, text)
    said: dict[str, Any] = {
        "text": text,
        "problems": [problem_data(problem) for problem in context["file"].problems],
        "parts": parts(context),
        "locked": context["locked"],
    }
    return said if number is None else said | {"number": number}


def refused(request: HttpRequest, agent: Agent, text: str, error: StudioError) -> HttpResponse:
    """Says what was refused, with what was typed still in the editor."""
    agent.refresh_from_db()
    stored = as_typed(error.text) if isinstance(error, DraftMoved) else ""
    difference = diff(stored, text) if isinstance(error, DraftMoved) else None
    if not wants_json(request):
        base = error.number if isinstance(error, DraftMoved) else agent.draft_number
        more = {"refused": str(error), "difference": difference}
        return editor_page(request, agent, text, base=base, more=more, status=error.status)
    said: dict[str, Any] = {"refused": str(error)}
    if isinstance(error, DraftMoved):
        html = render_to_string("agents/_diff.html", {"difference": difference})
        said |= {"number": error.number, "stored": stored, "difference": html}
    elif as_typed(agent.draft) == text:
        said["number"] = agent.draft_number
    if isinstance(error, NotPublishable | TextRefused):
        said["problems"] = [problem_data(problem) for problem in check(agent.project, text, agent).problems]
    return JsonResponse(said, status=error.status)


def editor_page(
    request: HttpRequest,
    agent: Agent,
    text: str,
    *,
    base: int,
    more: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The whole page on a text, saved or not."""
    view = request.GET.get("view", "")
    context = page_context(agent, text) | {
        "base": base,
        "view": view if view in VIEWS else "both",
        "saved_state": draft_state(agent, as_typed(agent.draft)),
        **(more or {}),
    }
    return render(request, "agents/edit.html", context, status=status)


def _with_fix(agent: Agent, text: str, index: str) -> str:
    problems = check(agent.project, text, agent).problems if index.isdecimal() and len(index) < 6 else ()
    fix = problems[int(index)].fix if index and problems and int(index) < len(problems) else None
    return text[: fix.start] + fix.text + text[fix.end :] if fix else text
