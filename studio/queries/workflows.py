"""Workflows as lists and the API show them."""

from typing import Any

from django.db.models import QuerySet

from runtime.domain.workflow import Workflow as Meaning
from runtime.domain.workflow_file import read_workflow_file
from studio.models import User, Workflow
from studio.queries.instants import rfc3339


def visible_workflows(user: User) -> QuerySet[Workflow]:
    """Those of the person's projects, by name."""
    return Workflow.objects.visible_to(user).select_related("project").order_by("name", "pk")


def workflow_named(user: User, name: str) -> Workflow | None:
    """The workflow of that name, if the person may see it."""
    return visible_workflows(user).filter(name=name).first()


def meaning_of(workflow: Workflow) -> Meaning:
    """What its text means; only a text that means something is kept."""
    meaning = read_workflow_file(workflow.text).workflow
    assert meaning is not None, "the text was checked before it was kept"
    return meaning


def start_schema(meaning: Meaning) -> dict[str, Any]:
    """The JSON Schema of what is asked for at a start: its shared variables; those without a default are required."""
    shared = meaning.shared_context
    return {
        "type": "object",
        "properties": {
            name: {"type": one.type, "default": one.default, "description": one.description}
            for name, one in shared.items()
        },
        "required": [name for name, one in shared.items() if one.default is None],
    }


def workflow_shown(workflow: Workflow) -> dict[str, Any]:
    """A workflow as AMP lists it."""
    meaning = meaning_of(workflow)
    return {
        "name": workflow.name,
        "title": str(workflow),
        "description": workflow.description,
        "agents": list(meaning.agents),
        "entry": meaning.entry_for("chat") or None,
        "changed_at": rfc3339(workflow.changed_at),
    }
