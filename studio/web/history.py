"""The versions of an agent: what changed from one to the next, and bringing one back as a draft."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from studio.errors import StudioError
from studio.models import Agent, AgentVersion
from studio.queries.agents import draft_state, versions_of
from studio.services.agents import restore_version
from studio.services.audit import Actor
from studio.web.agents import is_version_number
from studio.web.editor import base_of, refused, writable_agent
from studio.web.plain_words import changes_in_words
from studio.web.text_diff import diff
from studio.web.typed_text import as_typed

DRAFT = "draft"


@require_safe
def agent_history(request: HttpRequest, name: str) -> HttpResponse:
    """The versions, and the difference of one (`?version=`) to another (`?with=`, else the one before it)."""
    agent = writable_agent(request, name)
    versions = list(versions_of(agent))
    state = draft_state(agent, agent.draft)
    shown = request.GET.get("version") or (DRAFT if state.is_edited or not versions else str(versions[0].number))
    other = request.GET.get("with") or _before(shown, versions)
    before, after = _text(agent, versions, other), _text(agent, versions, shown)
    context = {
        "agent": agent,
        "versions": versions,
        "state": state,
        "shown": shown,
        "other": other,
        "shown_word": _word(shown),
        "other_word": _word(other),
        "difference": diff(before, after),
        "can_restore": shown != DRAFT and bool(versions) and after != agent.draft,
        "changes": changes_in_words(before, after),
    }
    return render(request, "agents/history.html", context)


@require_POST
def agent_restore(request: HttpRequest, name: str) -> HttpResponse:
    """Makes the text of an earlier version the draft."""
    agent = writable_agent(request, name)
    number = request.POST.get("version", "")
    version = versions_of(agent).filter(number=int(number)).first() if is_version_number(number) else None
    if version is None:
        raise Http404(f"{name} has no version {number}.")
    try:
        restore_version(Actor.of(request), version, base=base_of(request))
    except StudioError as error:
        return refused(request, agent, as_typed(version.text), error)
    messages.success(request, f"v{version.number} is the draft now. Publish it to run it again")
    return redirect("agent-edit", agent.name)


def _before(shown: str, versions: list[AgentVersion]) -> str:
    if shown == DRAFT:
        return str(versions[0].number) if versions else ""
    return str(int(shown) - 1) if is_version_number(shown) and int(shown) > 1 else ""


def _text(agent: Agent, versions: list[AgentVersion], which: str) -> str:
    if which == DRAFT:
        return agent.draft
    if not which:
        return ""
    for version in versions:
        if str(version.number) == which:
            return version.text
    raise Http404(f"{agent.name} has no version {which}.")


def _word(which: str) -> str:
    return which if which in (DRAFT, "") else f"v{which}"
