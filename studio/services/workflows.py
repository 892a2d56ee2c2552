"""Workflows are written and deleted. Only a text that sessions can be started by is kept."""

from django.db import transaction
from django.utils import timezone

from runtime.domain.workflow_file import WorkflowFile, read_workflow_file
from studio.models import Project, Workflow
from studio.queries.known import known_for
from studio.services.agent_errors import TextRefused
from studio.services.agents import must_write, sha256_of
from studio.services.audit import Actor, record


def check_workflow(project: Project, text: str) -> WorkflowFile:
    """What the text means among the agents of the project, with everything that is wrong with it."""
    return read_workflow_file(text, known_for(project))


@transaction.atomic
def save_workflow(actor: Actor, project: Project, text: str) -> tuple[Workflow, bool]:
    """The workflow that the text names, with this text; and whether it is new. Raises NotAllowed, TextRefused."""
    must_write(actor, project)
    file = check_workflow(project, text)
    if file.workflow is None or not file.is_usable:
        raise TextRefused(file.errors)
    meant = file.workflow
    found = Workflow.objects.select_for_update().filter(project=project, name=meant.name).first()
    workflow = found or Workflow(project=project, name=meant.name)
    before = {"sha256": sha256_of(workflow.text)} if found else None
    if found and found.text == text:
        return found, False
    workflow.title, workflow.description, workflow.text = meant.title, meant.description, text
    workflow.changed_by, workflow.changed_at = actor.user, timezone.now()
    workflow.save()
    record(actor, "workflow.saved", meant.name, before=before, after={"sha256": sha256_of(text)})
    return workflow, found is None


@transaction.atomic
def delete_workflow(actor: Actor, workflow: Workflow) -> None:
    """Removes it; sessions that were started by it go on as they are. Raises NotAllowed."""
    must_write(actor, workflow.project)
    record(actor, "workflow.deleted", workflow.name, before={"sha256": sha256_of(workflow.text)})
    workflow.delete()
