"""Agents: their drafts and their numbered versions. The author's text is kept as typed, right or wrong."""

import hashlib
import re
from dataclasses import replace
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from runtime.domain.agent_file import AgentFile, read_agent_file
from runtime.domain.file_edit import EditRefused, edit
from runtime.domain.yaml_text import AGENT_FILE_LIMITS
from studio.errors import NotAllowed, Refused
from studio.models import Agent, AgentVersion, Project
from studio.queries.agent_facts import Facts, facts_of
from studio.queries.known import known_for
from studio.rights import Right, has_right
from studio.services.agent_errors import DraftMoved, NameTaken, NotPublishable, TextRefused
from studio.services.audit import Actor, record
from studio.services.trigger_rows import follow_version

AGENT_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,54}[a-z0-9])?")
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # neither database nor socket takes these
EDITING_SPELL = timedelta(minutes=10)  # drafts save themselves every few seconds; the audit log has one entry a spell


def may_write(actor: Actor, project: Project) -> bool:
    """Whether the actor may make, change and publish agents of the project."""
    return actor.user is None or has_right(actor.user, project, Right.WRITE_AGENTS)


def must_write(actor: Actor, project: Project) -> None:
    """Raises NotAllowed unless the actor may write agents of the project."""
    if not may_write(actor, project):
        raise NotAllowed("change the agents of this project", "an administrator to make you an author")


def check(project: Project, text: str, agent: Agent | None = None) -> AgentFile:
    """What the text means among the tools, agents and models of the project, with everything that is wrong with it.

    `agent`: whose text it is. What was granted to it stays its own under another name.
    """
    known = known_for(project)
    if agent is not None and agent.name in known.sandboxed:
        known = replace(known, sandboxed=frozenset({*known.sandboxed, facts_of(text).name}))
    return read_agent_file(text, known)


@transaction.atomic
def create_agent(actor: Actor, project: Project, text: str) -> Agent:
    """An agent with this text as its first draft; its name is the one in the text.

    Raises NotAllowed, TextRefused, NameTaken, or Refused if the text has no name that can be used.
    """
    must_write(actor, project)
    _must_be_storable(text)
    facts = facts_of(text)
    name = facts.name
    if not AGENT_NAME.fullmatch(name):
        raise Refused("The text has no usable `name`. Begin it with a line such as `name: refund-desk`: a-z, 0-9, -.")
    if Agent.objects.filter(project=project, name=name).exists():
        raise NameTaken(name)
    agent = Agent(project=project, name=name, draft=text, draft_by=actor.user, created_by=actor.user)
    _take_facts(agent, facts)
    agent.save()
    record(actor, "agent.created", name, after={"project": project.slug, "sha256": sha256_of(text)})
    return agent


@transaction.atomic
def save_draft(actor: Actor, agent: Agent, text: str, *, base: int) -> Agent:
    """Keeps the text as the agent's draft, also if it cannot be read. `base` is the draft number it started from.

    Raises NotAllowed, TextRefused, DraftMoved if somebody saved another text since `base`.
    """
    must_write(actor, agent.project)
    _must_be_storable(text)
    current = Agent.objects.select_for_update(of=("self",)).select_related("draft_by", "project").get(pk=agent.pk)
    if current.draft == text:
        return current
    if current.draft_number != base:
        raise _moved(actor, current)
    _record_spell(actor, current, text)
    current.draft, current.draft_number = text, base + 1
    current.draft_by, current.draft_at = actor.user, timezone.now()
    _take_facts(current, facts_of(text))
    current.save()
    return current


def edit_field(actor: Actor, agent: Agent, path: str, value: object, *, base: int) -> Agent:
    """Changes one field of the draft in place; None removes it.

    Raises as save_draft does, and Refused if the field cannot be changed in this text.
    """
    must_write(actor, agent.project)
    try:
        text = edit(agent.draft, path, value)
    except EditRefused as error:
        raise Refused(str(error)) from None
    return save_draft(actor, agent, text, base=base)


@transaction.atomic
def publish(actor: Actor, agent: Agent, note: str = "", *, base: int | None = None) -> AgentVersion:
    """Makes the draft the next version; running rollouts keep theirs. The agent takes the name in the text.

    Raises NotAllowed, NotPublishable, NameTaken, DraftMoved (if `base` is given and old), Refused if nothing changed.
    """
    must_write(actor, agent.project)
    current = Agent.objects.select_for_update(of=("self",)).select_related("draft_by", "project").get(pk=agent.pk)
    if base is not None and current.draft_number != base:
        raise _moved(actor, current)
    file = check(current.project, current.draft, current)
    if file.definition is None or not file.is_publishable:
        raise NotPublishable(current.name, file.errors)
    last = current.versions.order_by("-number").first()
    if last is not None and last.text == current.draft:
        raise Refused(f"Nothing has changed since v{last.number}, so there is nothing to publish.")
    _rename(actor, current, file.definition.name)
    version = AgentVersion.objects.create(
        agent=current,
        number=(last.number if last else 0) + 1,
        text=current.draft,
        sha256=sha256_of(current.draft),
        note=note.strip()[:500],
        by=actor.user,
    )
    follow_version(current, file.definition.triggers)
    record(actor, "agent.published", current.name, after={"version": version.number, "sha256": version.sha256})
    return version


@transaction.atomic
def restore_version(actor: Actor, version: AgentVersion, *, base: int) -> Agent:
    """Makes the text of an earlier version the draft; history stays as it is. Raises as save_draft does."""
    agent = save_draft(actor, version.agent, version.text, base=base)
    record(actor, "agent.restored", agent.name, after={"version": version.number})
    return agent


def sha256_of(text: str) -> str:
    """The hash by which the audit log and versions name a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _moved(actor: Actor, agent: Agent) -> DraftMoved:
    who = str(agent.draft_by) if agent.draft_by else "Somebody at the terminal"
    if actor.user is not None and agent.draft_by == actor.user:
        who = "You, in another window,"
    return DraftMoved(who, agent.draft_at, agent.draft_number, agent.draft)


def _must_be_storable(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > AGENT_FILE_LIMITS.size_bytes or UNSTORABLE.search(text):
        raise TextRefused(read_agent_file(text).problems)


def _take_facts(agent: Agent, facts: Facts) -> None:
    if facts == Facts():
        return
    agent.title, agent.description, agent.tags = facts.title, facts.description, list(facts.tags)


def _record_spell(actor: Actor, agent: Agent, text: str) -> None:
    if agent.draft_by == actor.user and timezone.now() - agent.draft_at < EDITING_SPELL:
        return
    before, after = {"sha256": sha256_of(agent.draft)}, {"sha256": sha256_of(text)}
    record(actor, "agent.draft_edited", agent.name, before=before, after=after)


def _rename(actor: Actor, agent: Agent, name: str) -> None:
    if name == agent.name:
        return
    if Agent.objects.filter(project=agent.project, name=name).exists():
        raise NameTaken(name)
    before, agent.name = agent.name, name
    agent.save(update_fields=["name"])
    record(actor, "agent.renamed", name, before={"name": before}, after={"name": name})
