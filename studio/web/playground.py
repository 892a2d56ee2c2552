"""The playground: the list of sessions, one conversation, and the start of a new one."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_http_methods, require_safe

from studio.errors import StudioError
from studio.models import Agent, AmpSession, User
from studio.queries.agents import agents_for
from studio.queries.asked import with_asked
from studio.queries.events import envelopes_after
from studio.queries.openers import openers_for
from studio.queries.playground import session_rows, start_of_step
from studio.queries.prompts import told
from studio.queries.sessions import session_for
from studio.queries.viewer import Seat, Viewer, viewer_of
from studio.queries.workflows import visible_workflows
from studio.services.audit import Actor
from studio.services.prompts import read_prompt
from studio.services.rollout_agent import newest_text
from studio.services.sessions import start_session
from studio.services.start_input import input_schema_of
from studio.web.conversation import conversation
from studio.web.event_parts import is_in_inspector, render_group, render_row
from studio.web.person import person
from studio.web.posts import key_of, text_of
from studio.web.schema_form import SchemaField, schema_fields, values_of
from studio.web.session_view import SessionView
from studio.web.state_pane import pane_of

SHOWN_EVENTS = 400
STEP_ENDS = ("step.started", "step.completed", "step.aborted")


@require_safe
def playground(request: HttpRequest) -> HttpResponse:
    """The sessions, and an invitation to open or start one."""
    return render(request, "playground/index.html", {**sessions_beside(request), "list_only": True})


@require_safe
def session_list(request: HttpRequest) -> HttpResponse:
    """The list alone, for a search and to keep it fresh."""
    return render(request, "playground/_session_list.html", sessions_beside(request, request.GET.get("current", "")))


@require_safe
def session(request: HttpRequest, public_id: str) -> HttpResponse:
    """One conversation, up to an event from which the page's socket goes on."""
    user = person(request)
    found = session_for(user, public_id)
    viewer = viewer_of(found, user)
    view = SessionView(found, viewer, user)
    first = _first_pos(request, found)
    envelopes, after = _events(found, viewer, first)
    context = {
        **sessions_beside(request, public_id),
        "view": view,
        "items": conversation(with_asked(envelopes, viewer), viewer, view.children),
        "rows": rows_of(envelopes),
        "after": after,
        "earlier": max(1, first - SHOWN_EVENTS) if first > 1 else 0,
        "inspector": True,
        "may_read_prompts": view.rollout is not None and viewer.seat(view.rollout.agent.name) is Seat.OVERSEER,
    }
    return render(request, "playground/session.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Whom to talk to, what to say first; a POST starts the session."""
    user = person(request)
    problem, status = "", 200
    if request.method == "POST":
        try:
            return redirect("session", _start(request, user))
        except StudioError as error:
            problem, status = str(error), error.status
    said = request.POST if request.method == "POST" else request.GET
    agents = [agent for agent in agents_for(user) if agent.archived_at is None]
    agent = next((agent for agent in agents if agent.name == said.get("agent")), None)
    is_draft = bool(said.get("draft"))
    chosen = {
        "agents": [found for found in agents if getattr(found, "live_number", None)],
        "workflows": visible_workflows(user) if agent is None else (),
        "agent": agent,
        "openers": openers_for(agent) if agent else (),
        "fields": _start_fields(request, agent, draft=is_draft) if agent else (),
    }
    more = {"draft": is_draft, "key": uuid4().hex, "problem": problem, "content": said.get("content", "")}
    return render(request, "playground/new.html", {**sessions_beside(request), **chosen, **more}, status=status)


@require_safe
def prompt(request: HttpRequest, public_id: str) -> HttpResponse:
    """The request of the newest step, word for word, for who may read prompts."""
    user = person(request)
    found = session_for(user, public_id)
    viewer = viewer_of(found, user)
    rollout = SessionView(found, viewer, user).rollout
    context: dict[str, Any] = {"problem": "Nothing was sent to the model yet."}
    try:
        sent = read_prompt(Actor.of(request), rollout, viewer, rollout.steps - 1) if rollout and rollout.steps else None
        if rollout and sent:
            context = {"prompt": told(rollout, sent)}
    except StudioError as error:
        context = {"problem": str(error)}
    return render(request, "playground/_prompt.html", context)


@require_safe
def state(request: HttpRequest, public_id: str) -> HttpResponse:
    """Where one rollout of the session stands: states, variables, timers, what runs on the side."""
    user = person(request)
    found = session_for(user, public_id)
    viewer = viewer_of(found, user)
    view, named = SessionView(found, viewer, user), request.GET.get("rollout", "")
    rollout = next((row.rollout for row in view.rollouts if row.rollout.public_id == named), view.rollout)
    context = {"pane": pane_of(rollout, viewer) if rollout is not None else None, "view": view}
    return render(request, "playground/_state.html", context)


def _start(request: HttpRequest, user: User) -> str:
    name, draft = request.POST.get("agent", ""), bool(request.POST.get("draft"))
    agent = agents_for(user).filter(name=name).first()
    fields = schema_fields(_start_schema(agent, draft=draft)) if agent is not None else []
    given = values_of(fields, request.POST, prefix="value:") if fields else text_of(request, "content")
    return start_session(user, name, input=given, key=key_of(request), draft=draft).session


def _start_schema(agent: Agent, *, draft: bool) -> Mapping[str, Any]:
    """What the agent asks for at a start; nothing if it takes any words, or has no text that can be read."""
    try:
        return input_schema_of(agent.draft if draft else newest_text(agent)[0]) or {}
    except StudioError:  # said when it is started
        return {}


def _start_fields(request: HttpRequest, agent: Agent, *, draft: bool) -> list[SchemaField]:
    """The fields of its form, with what was typed into them if that was refused."""
    typed = {name.removeprefix("value:"): value for name, value in request.POST.items() if name.startswith("value:")}
    return schema_fields(_start_schema(agent, draft=draft), typed)


def sessions_beside(request: HttpRequest, current: str = "") -> dict[str, Any]:
    """The list of sessions that stands beside every page of the playground."""
    words, archived = request.GET.get("q", ""), bool(request.GET.get("archived"))
    rows = session_rows(person(request), words, archived=archived)
    return {"sessions": rows, "words": words, "archived": archived, "current": current}


def _first_pos(request: HttpRequest, found: AmpSession) -> int:
    """The first event to show: the newest ones, or from `?from=`; always the beginning of a step."""
    newest = max(1, found.next_pos - SHOWN_EVENTS)
    asked = request.GET.get("from", "")
    is_number = asked.isascii() and asked.isdecimal() and len(asked) < 12
    return start_of_step(found, min(newest, max(1, int(asked))) if is_number else newest)


def _events(found: AmpSession, viewer: Viewer, first: int) -> tuple[list[dict[str, Any]], int]:
    """Envelopes from that pos to the end, and the pos of the last."""
    envelopes: list[dict[str, Any]] = []
    after = first - 1
    while True:
        page, last = envelopes_after(found, viewer, after=after, limit=1000)
        if last == after:
            return envelopes, after
        envelopes, after = envelopes + page, last


def rows_of(envelopes: Sequence[dict[str, Any]]) -> list[SafeString]:
    """The rows of the inspector, each step's under a head that stands where the step began."""
    rows: dict[str, str] = {}
    for event in envelopes:
        if event.get("hidden"):
            continue
        if event["type"] in STEP_ENDS:
            rows[f"group-{event['rollout']}-{event['step']}"] = render_group(event)
        if is_in_inspector(event):
            rows[f"row-{event['rollout']}-{event['seq']}"] = render_row(event)
    return [mark_safe(row) for row in rows.values()]  # made by templates
