"""`/agents`: their files as text, checked and published by the same services as the editor's; for CI."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Status

from studio.api.asking import key_of, person
from studio.api.errors import NotFound, problem_shown
from studio.api.shapes import Publishing
from studio.api.text_body import text_of, yaml_file
from studio.errors import NotAllowed, Refused
from studio.models import Agent, User
from studio.queries.agent_facts import facts_of
from studio.queries.agents import agent_named, agents_for, project_for_new_agents
from studio.services.agent_errors import TextRefused
from studio.services.agents import check, create_agent, may_write, publish, save_draft
from studio.services.audit import Actor

router = Router(tags=["agents"])


@router.get("/agents", url_name="agents")
def listed(request: HttpRequest) -> dict[str, Any]:
    """The agents that the caller may talk to, and those that they write."""
    return {"agents": [_summary(agent) for agent in agents_for(person(request))]}


@router.post("/agents/check", url_name="agents-check")
def checked(request: HttpRequest) -> dict[str, Any]:
    """The problems of a file: the body is its text, or `{"text": …}` as JSON. Nothing is stored."""
    user = person(request)
    key_of(request)
    project = project_for_new_agents(user)
    if project is None:
        raise NotAllowed("check agent files", "an administrator to make you an author")
    file = check(project, text_of(request))
    problems = [problem_shown(item) for item in file.problems]
    return {"publishable": file.is_publishable, "problems": problems}


@router.get("/agents/{name}", url_name="agent")
def read(request: HttpRequest, name: str, version: int | None = None) -> HttpResponse:
    """The draft as text, or that version; the draft's number is the ETag."""
    agent = _written(person(request), name)
    if version is None:
        return yaml_file(agent.draft, f'"{agent.draft_number}"')
    found = agent.versions.filter(number=version).first() if 0 < version < 2**31 else None
    if found is None:
        raise NotFound
    return yaml_file(found.text, f'"v{found.number}"')


@router.put("/agents/{name}", url_name="agent", response={200: dict, 201: dict})
def write(request: HttpRequest, name: str) -> Any:
    """Keeps the text as the agent's draft; a new agent if there is none. With If-Match, only over that draft."""
    user, text = person(request), text_of(request)
    actor = Actor.of(request)
    agent = agent_named(user, name)
    if agent is not None:
        base = request.headers.get("If-Match", "").strip('" ')
        if base and not (base.isdecimal() and len(base) < 10):
            raise Refused("If-Match is not the ETag of a draft. Read the agent again.")
        saved = save_draft(actor, agent, text, base=int(base) if base else agent.draft_number)
        return Status(200, _draft(saved))
    project = project_for_new_agents(user)
    if project is None:
        raise NotAllowed("make agents", "an administrator to make you an author")
    named = facts_of(text).name
    if not named and (errors := check(project, text).errors):  # it cannot be read, or has no name
        raise TextRefused(errors)
    if named != name:
        raise Refused(f"The text names another agent than {name[:64]!r}. Put it under the name that it has.")
    return Status(201, _draft(create_agent(actor, project, text)))


@router.post("/agents/{name}/publish", url_name="agent-publish")
def published(request: HttpRequest, name: str, body: Publishing) -> dict[str, Any]:
    """Makes the draft the next version. With a key again: the version that it made."""
    user = person(request)
    agent = _written(user, name)
    newest = agent.versions.order_by("-number").first()
    if key_of(request) and newest and newest.text == agent.draft and newest.note == body.note and newest.by == user:
        return {"name": agent.name, "version": newest.number, "sha256": newest.sha256}
    version = publish(Actor.of(request), agent, body.note)
    return {"name": version.agent.name, "version": version.number, "sha256": version.sha256}


def _written(user: User, name: str) -> Agent:
    """An agent whose text the person may read. Raises NotFound, NotAllowed."""
    agent = agent_named(user, name)
    if agent is None:
        raise NotFound
    if not may_write(Actor(user, ""), agent.project):
        raise NotAllowed("read this agent's file", "an administrator to make you an author")
    return agent


def _summary(agent: Agent) -> dict[str, Any]:
    return {
        "name": agent.name,
        "title": str(agent),
        "description": agent.description,
        "tags": agent.tags,
        "version": getattr(agent, "live_number", None),
        "archived": agent.archived_at is not None,
    }


def _draft(agent: Agent) -> dict[str, Any]:
    problems = [problem_shown(item) for item in check(agent.project, agent.draft, agent).problems]
    return {"name": agent.name, "base": agent.draft_number, "problems": problems}
