"""Which agents take part in a new session, and which of them hears what names no other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from runtime.domain.machine_variables import set_problem
from runtime.domain.workflow import Workflow as Meaning
from studio.errors import NotAllowed, Refused
from studio.models import Agent, Project, Trigger, User, Workflow
from studio.queries.workflows import meaning_of, workflow_named
from studio.rights import Right, has_right

WORKFLOW = "workflow"
"""The field of a session's metadata in which its workflow stands: its name, who may interrupt whom, what is shared."""


class Wanted(Protocol):
    """What decides: agents by name and the entry agent among them; or a workflow, by name."""

    @property
    def agents(self) -> Sequence[str]: ...

    @property
    def entry(self) -> str: ...

    @property
    def workflow(self) -> str: ...

    @property
    def context(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Cast:
    """The agents of one project that a session begins with."""

    entry: Agent
    others: Sequence[Agent] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def cast_of(user: User, wanted: Wanted) -> Cast:
    """The agents that are wanted, if the person may talk to them. Raises Refused, NotAllowed."""
    if wanted.workflow:
        if wanted.agents or wanted.entry:
            raise Refused("A workflow names its agents itself. Leave out agents and entry, or the workflow.")
        return _of_workflow(user, wanted.workflow, wanted.context)
    if wanted.context:
        raise Refused("Only a workflow has a context. Name the workflow, or leave the context out.")
    names = list(wanted.agents)
    if not names:
        raise Refused("Name the agents of the session, or a workflow.")
    entry = wanted.entry or next(iter(names), "")
    if entry not in names:
        raise Refused(f"The entry agent {entry[:64]!r} is not among the agents. Name it there as well.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise Refused(f"The agent {twice[:64]!r} is named twice. Name each once.")
    first = agent_to_talk_to(user, entry)
    others = [agent_to_talk_to(user, name, first.project) for name in names if name != entry]
    return Cast(first, others)


def _of_workflow(user: User, name: str, context: Mapping[str, Any]) -> Cast:
    workflow = workflow_named(user, name)
    if workflow is None:
        raise Refused(f"There is no workflow {name[:64]!r}. Choose one from the list of workflows.")
    meaning = meaning_of(workflow)
    entry = meaning.entry_for("chat")
    if not entry:
        raise Refused(f"No chat can be started by the workflow {workflow.name}: its file names no agent for it.")
    if problem := set_problem(meaning.shared_context, context):
        raise Refused(f"The context of the workflow {workflow.name} does not fit: {problem}")
    agents = {agent: agent_to_talk_to(user, agent, workflow.project) for agent in meaning.agents}
    others = [agent for other, agent in agents.items() if other != entry]
    return Cast(agents[entry], others, {WORKFLOW: _kept(meaning, context)})


def cast_of_trigger(trigger: Trigger) -> Cast:
    """The trigger's agent; with it the agents of the workflow that names it as the entry of this kind of start.

    If several workflows do, that of the first name.
    """
    agent = trigger.agent
    for workflow in Workflow.objects.filter(project=agent.project_id).order_by("name"):
        meaning = meaning_of(workflow)
        if meaning.entry_for(trigger.kind) != agent.name:
            continue
        others = Agent.objects.filter(project=agent.project_id, name__in=meaning.agents).open().exclude(pk=agent.pk)
        return Cast(agent, list(others), {WORKFLOW: _kept(meaning, {})})
    return Cast(agent)


def _kept(meaning: Meaning, context: Mapping[str, Any]) -> dict[str, Any]:
    """What a session keeps of its workflow."""
    return {
        "name": meaning.name,
        "may_interrupt": {who: list(whom) for who, whom in meaning.may_interrupt.items()},
        "shared": meaning.shared_values(context),
    }


def agent_to_talk_to(user: User, name: str, project: Project | None = None) -> Agent:
    """The agent of that name, of that project if one is given. Raises Refused, NotAllowed."""
    found = Agent.objects.visible_to(user).select_related("project").filter(name=name).order_by("pk")
    agent = (found if project is None else found.filter(project=project)).first()
    if agent is None:
        raise Refused(f"There is no agent {name[:64]!r}. Choose one from the list of agents.")
    if agent.archived_at is not None:
        raise Refused(f"The agent {agent.name} is archived. Take it out of the archive first.")
    if not has_right(user, agent.project, Right.TALK):
        raise NotAllowed("talk to agents of this project")
    return agent
