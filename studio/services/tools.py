"""The tools of a project: written, changed, tried and deleted by its authors."""

import uuid
from collections.abc import Mapping
from typing import Any

from asgiref.sync import async_to_sync
from django.db import transaction
from django.utils import timezone

from runtime.domain.arguments import args_sha256
from runtime.domain.definition import ToolGrant
from runtime.domain.sandboxed import SANDBOXED
from runtime.domain.tool import Access
from runtime.engine.executor import Outcome
from runtime.tools.arguments import problem_with
from runtime.tools.registry import RegistryTool
from studio.errors import NotFitting, Refused
from studio.models import Project, Tool
from studio.queries.known import registry_of
from studio.queries.tool_users import published_users
from studio.services.agents import must_write
from studio.services.audit import Actor, record
from studio.services.tool_facts import ToolFacts, facts_of_row, must_be_free, must_be_right
from studio.wiring import running, workspace_root


@transaction.atomic
def add_tool(actor: Actor, project: Project, name: str, facts: ToolFacts) -> Tool:
    """A tool that is written as a form. Raises NotAllowed, or Refused for what cannot be right."""
    must_write(actor, project)
    must_be_free(project, name)
    if must_be_right(facts) is None:
        raise Refused("Say where the tool sends its request.")
    row = Tool(project=project, name=name)
    write_facts(row, facts, actor)
    record(actor, "tool.added", name, after=facts.told())
    return row


@transaction.atomic
def change_tool(actor: Actor, tool: Tool, facts: ToolFacts) -> Tool:
    """Other facts; rollouts that run keep the words and arguments of their start. Raises NotAllowed or Refused."""
    must_write(actor, tool.project)
    row = Tool.objects.select_for_update().select_related("project").get(pk=tool.pk)
    must_be_right(facts)
    before = facts_of_row(row).told()
    write_facts(row, facts, actor)
    record(actor, "tool.changed", row.name, before=before, after=facts.told())
    return row


@transaction.atomic
def remove_tool(actor: Actor, tool: Tool) -> None:
    """Deletes it. Raises NotAllowed, or Refused while a published agent uses it."""
    must_write(actor, tool.project)
    must_be_unused(tool)
    record(actor, "tool.removed", tool.name, before=facts_of_row(tool).told())
    Tool.objects.filter(pk=tool.pk).delete()


def must_be_unused(tool: Tool) -> None:
    """Raises Refused, with the names of the published agents that use the tool."""
    users = published_users(tool.project, registry_of(tool.project), tool.name)
    if users:
        many = "agents use" if len(users) > 1 else "agent uses"
        raise Refused(
            f"{tool.name} stays: the published {many} it: {', '.join(users)}. Publish a version without it, or archive "
            "the agent, then delete it."
        )


def new_try_key() -> str:
    """The key under which one try is made, however often its form is sent."""
    return f"try-{uuid.uuid4().hex}"


def try_tool(actor: Actor, project: Project, tool: RegistryTool, args: Mapping[str, Any], *, key: str) -> Outcome:
    """Runs a tool once, for real, with these arguments; known secrets are taken out of what it answers.

    Takes as long as the tool may, and holds no transaction meanwhile. Raises NotAllowed, Refused for tools that run
    programs, or NotFitting for arguments that do not fit; nothing is sent then.
    """
    must_write(actor, project)
    problem = problem_with(tool.spec.schema, args)
    if problem:
        raise NotFitting(f"{problem[0].upper()}{problem[1:]}.")
    name = tool.spec.name
    if name in SANDBOXED:  # the key could be that of a rollout that may
        raise Refused(f"{name} runs only for an agent that an administrator allows it to, under Settings, Sandbox.")
    registry = registry_of(project)
    spec = registry.grant([ToolGrant(name=name, settings={"workspace": "."})], root=str(workspace_root()))[name].spec
    outcome = async_to_sync(running().try_once)(spec, args, project=project.public_id, key=key)
    tried = {"args_sha256": args_sha256(name, args), "status": outcome.status.value, "ms": outcome.ms}
    record(actor, "tool.tried", name, after=tried)
    return outcome


def must_be_confirmed(tool: RegistryTool) -> bool:
    """Whether trying it changes something in the world, so that the person is asked once."""
    return tool.spec.access is Access.WRITE


def write_facts(row: Tool, facts: ToolFacts, actor: Actor) -> None:
    """Stores facts that were found right."""
    row.title, row.description = facts.title.strip()[:200], facts.description.strip()
    row.schema, row.form = dict(facts.schema), dict(facts.form)
    row.access, row.idempotent = facts.access, facts.idempotent
    row.timeout_seconds, row.retries = facts.timeout_seconds, facts.retries
    row.approval, row.labels = facts.approval, sorted(set(facts.labels))
    row.changed_by, row.changed_at = actor.user, timezone.now()
    row.save()
