"""`/workflows`: ways to start sessions of several agents, as text; for CI."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Status

from studio.api.asking import person
from studio.api.errors import NotFound, problem_shown
from studio.api.text_body import text_of, yaml_file
from studio.errors import NotAllowed, Refused
from studio.models import User, Workflow
from studio.queries.agents import project_for_new_agents
from studio.queries.workflows import visible_workflows, workflow_named, workflow_shown
from studio.services.agents import may_write, sha256_of
from studio.services.audit import Actor
from studio.services.workflows import check_workflow, delete_workflow, save_workflow

router = Router(tags=["workflows"])


@router.get("/workflows", url_name="workflows")
def listed(request: HttpRequest) -> dict[str, Any]:
    """Those that the caller may start sessions by."""
    return {"workflows": [workflow_shown(workflow) for workflow in visible_workflows(person(request))]}


@router.get("/workflows/{name}", url_name="workflow")
def read(request: HttpRequest, name: str) -> HttpResponse:
    """Its text."""
    workflow = _written(person(request), name)
    return yaml_file(workflow.text, f'"{sha256_of(workflow.text)[:16]}"')


@router.put("/workflows/{name}", url_name="workflow", response={200: dict, 201: dict})
def write(request: HttpRequest, name: str) -> Any:
    """Keeps the text, if sessions can be started by it; a new workflow if there is none."""
    user, text = person(request), text_of(request)
    found = workflow_named(user, name)
    project = found.project if found is not None else project_for_new_agents(user)
    if project is None:
        raise NotAllowed("make workflows", "an administrator to make you an author")
    file = check_workflow(project, text)
    if file.workflow is not None and file.workflow.name != name:
        raise Refused(f"The text names another workflow than {name[:64]!r}. Put it under the name that it has.")
    workflow, is_new = save_workflow(Actor.of(request), project, text)
    problems = [problem_shown(item) for item in file.problems]
    return Status(201 if is_new else 200, {**workflow_shown(workflow), "problems": problems})


@router.delete("/workflows/{name}", url_name="workflow", response={204: None})
def delete(request: HttpRequest, name: str) -> Any:
    """Removes it; sessions that were started by it go on."""
    workflow = _written(person(request), name)
    delete_workflow(Actor.of(request), workflow)
    return Status(204, None)


def _written(user: User, name: str) -> Workflow:
    """A workflow whose text the person may read. Raises NotFound, NotAllowed."""
    workflow = workflow_named(user, name)
    if workflow is None:
        raise NotFound
    if not may_write(Actor(user, ""), workflow.project):
        raise NotAllowed("read this workflow's file", "an administrator to make you an author")
    return workflow
