"""Agents as things on a shelf: copied, imported, archived, deleted."""

from django.db import transaction
from django.utils import timezone

from runtime.domain.file_edit import EditRefused, edit
from studio.errors import Refused
from studio.models import Agent, AmpSession, Participant, Project, Rollout
from studio.queries.agent_facts import facts_of
from studio.services.agent_errors import NotDeletable
from studio.services.agents import create_agent, must_write, save_draft
from studio.services.audit import Actor, record
from studio.services.trigger_rows import start_over


@transaction.atomic
def duplicate_agent(actor: Actor, agent: Agent) -> Agent:
    """A new agent with this one's draft under a free name. Raises NotAllowed, or Refused if the draft has no name."""
    must_write(actor, agent.project)
    name = _free_name(agent.project, agent.name)
    return create_agent(actor, agent.project, renamed_text(agent.draft, name, title=agent.title))


@transaction.atomic
def import_text(actor: Actor, project: Project, text: str) -> tuple[Agent, bool]:
    """A new agent of this text, or a new draft of the agent that has its name; with whether it is new.

    Raises as create_agent and save_draft do.
    """
    must_write(actor, project)
    found = Agent.objects.filter(project=project, name=facts_of(text).name).first()
    if found is None:
        return create_agent(actor, project, text), True
    return save_draft(actor, found, text, base=found.draft_number), False


@transaction.atomic
def archive_agent(actor: Actor, agent: Agent) -> None:
    """Takes the agent off the list; running rollouts go on. Raises NotAllowed."""
    must_write(actor, agent.project)
    if Agent.objects.filter(pk=agent.pk, archived_at=None).update(archived_at=timezone.now()):
        record(actor, "agent.archived", agent.name)


@transaction.atomic
def unarchive_agent(actor: Actor, agent: Agent) -> None:
    """Puts the agent back on the list. Raises NotAllowed."""
    must_write(actor, agent.project)
    if Agent.objects.filter(pk=agent.pk).exclude(archived_at=None).update(archived_at=None):
        start_over(agent)
        record(actor, "agent.unarchived", agent.name)


@transaction.atomic
def delete_agent(actor: Actor, agent: Agent) -> None:
    """Removes an agent that no trajectory names, with its versions. Raises NotAllowed, NotDeletable."""
    must_write(actor, agent.project)
    rollouts = Rollout.objects.filter(agent=agent).count()
    in_sessions = (
        Participant.objects.filter(agent=agent).exists() or AmpSession.objects.filter(entry_agent=agent).exists()
    )
    if rollouts or in_sessions:
        raise NotDeletable(agent.name, rollouts)
    versions = agent.versions.count()
    agent.versions.all().delete()
    record(actor, "agent.deleted", agent.name, before={"versions": versions, "project": agent.project.slug})
    agent.delete()


def renamed_text(text: str, name: str, *, title: str = "") -> str:
    """The text with another name, and a title that says that it is a copy. Raises Refused."""
    try:
        text = edit(text, "name", name)
        return edit(text, "title", f"{title} (copy)"[:200]) if title else text
    except EditRefused as error:
        raise Refused(f"The draft cannot be copied before it is mended. {error}") from None


def _free_name(project: Project, name: str) -> str:
    taken = set(Agent.objects.filter(project=project).values_list("name", flat=True))
    stem = name[:52].rstrip("-")
    return next(free for number in range(2, len(taken) + 3) if (free := f"{stem}-{number}") not in taken)
