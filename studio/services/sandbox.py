"""An administrator lets an agent run programs, or no longer."""

from django.db import transaction

from studio.errors import Refused
from studio.models import Agent, SandboxGrant
from studio.services.audit import Actor, record

ACTION = "decide which agents run programs"


@transaction.atomic
def allow_programs(actor: Actor, agent: Agent) -> SandboxGrant:
    """From now on the agent may use the tools that run programs. Raises NotAllowed, or Refused if it may already."""
    actor.must_administer(ACTION)
    grant, is_new = SandboxGrant.objects.get_or_create(agent=agent, defaults={"given_by": actor.user})
    if not is_new:
        raise Refused(f"{agent.name} may run programs already.")
    record(actor, "sandbox.allowed", agent.name, after={"project": agent.project.slug})
    return grant


@transaction.atomic
def forbid_programs(actor: Actor, agent: Agent) -> None:
    """Its next call is refused, also in rollouts that run. Raises NotAllowed, or Refused if it may not anyway."""
    actor.must_administer(ACTION)
    deleted, _ = SandboxGrant.objects.filter(agent=agent).delete()
    if not deleted:
        raise Refused(f"{agent.name} may not run programs anyway.")
    record(actor, "sandbox.forbidden", agent.name, before={"project": agent.project.slug})
