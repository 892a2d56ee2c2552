"""Where the runtime's ports and the studio's adapters are put together, once a process."""

import asyncio
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings

from runtime.domain.agent import Agent
from runtime.domain.apply import fold
from runtime.domain.definition import Definition
from runtime.domain.events import RolloutStarted
from runtime.domain.machine import initial
from runtime.domain.readings import NO_READINGS, Readings
from runtime.domain.redaction import Redactor
from runtime.domain.skill import Skill, skill_name
from runtime.domain.tool import ToolSpec
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, place
from runtime.engine.binding import CannotBind, bind, definition_of, sha256, tools_text
from runtime.engine.change import project
from runtime.engine.clock import SystemClock
from runtime.engine.executor import Executor, Job, Outcome
from runtime.engine.manager import Manager
from runtime.engine.shell import GRACE_SECONDS, Shell
from runtime.ports import Claimed, NewRollout, RolloutInfo, Tool
from runtime.providers.connected import ConnectedModel
from runtime.providers.playbook import Playbook
from runtime.providers.playbooks import SCRIPTS
from runtime.providers.prices import ConnectedPrices
from runtime.providers.table import ModelTable
from runtime.tools.arguments import problem_with
from runtime.tools.outbound.client import GuardedClient
from runtime.tools.outbound.policy import OutboundPolicy
from runtime.tools.registry import Registry, UnknownTool, discover
from runtime.tools.services import ToolServices
from studio.hub import InProcessHub
from studio.public_id import new_rollout_id
from studio.store.abilities import PLAYBOOK, with_abilities
from studio.store.connections import StoredConnections, learn_keys
from studio.store.django_store import DjangoStore
from studio.store.sandbox import stored_sandbox
from studio.store.secrets import StoredSecrets, learn_secrets
from studio.store.skills import kept_skills, skills_of
from studio.store.surroundings import descriptions_of, interruptible, metadata_of, shared_of
from studio.store.texts import KeepPin
from studio.store.tools import StoredTool, project_tools
from studio.store.writer import Writer


@dataclass(slots=True)
class Running:
    """What this process has. `manager` is None where no rollouts run; the server then finds them by itself.

    `grace_seconds`: how long writes may go on once the process was told to end.
    """

    store: DjangoStore
    hub: InProcessHub
    registry: Registry
    redactor: Redactor = field(default_factory=Redactor)
    manager: Manager | None = None
    chores: asyncio.Task[None] | None = None
    grace_seconds: float = GRACE_SECONDS
    watch: asyncio.Task[None] | None = None

    def nudge(self, rollout: str) -> None:
        """Look at that rollout's queue, and tell its readers. From any thread."""
        self.hub.queued(rollout)
        if self.manager is not None:
            self.manager.nudge(rollout)

    async def start_manager(self) -> Manager:
        """Run rollouts in this process from now on, on the running loop."""
        clock = SystemClock()
        await asyncio.to_thread(learn_keys, self.redactor)
        await asyncio.to_thread(learn_secrets, self.redactor)
        connections = StoredConnections(self.redactor)
        model = ModelTable({"playbook": Playbook(SCRIPTS)}, ConnectedModel(connections))
        executor = Executor(self.tool_named, self.store, clock)
        shell = Shell(
            self.store,
            self.hub,
            clock,
            model,
            executor,
            problem_with,
            self.redactor,
            new_rollout_id=new_rollout_id,
            new_child=self._new_child,
            prices=ConnectedPrices(connections).of,
            grace_seconds=self.grace_seconds,
        )
        self.manager = Manager(shell, self.bind, owner=f"{socket.gethostname()}:{os.getpid()}")
        await self.manager.start()
        return self.manager

    def tool_named(self, name: str) -> Tool:
        """The built-in tool of this name, else one that stands for the project's."""
        try:
            return self.registry.tool(name)
        except UnknownTool:
            return StoredTool(ToolSpec(name, "", {}), self.services)

    async def try_once(self, spec: ToolSpec, args: Mapping[str, Any], *, project: str, key: str) -> Outcome:
        """One attempt of a tool outside of any rollout; what it says loses the known secrets."""
        executor = Executor(self.tool_named, self.store, SystemClock())
        info = RolloutInfo(key, "", project, "", 0, "")
        outcome = await executor.attempt(Job("try", spec, args), info, 1, lambda *_: None)
        return replace(outcome, content=self.redactor.redact(outcome.content))

    @property
    def services(self) -> ToolServices:
        """What tools need of this installation."""
        return self.registry.services

    def registry_for(self, project: str, definition: Definition) -> Registry:
        """The registry for an agent of the project; its own tools are read only if the agent names one."""
        if not _names_others(definition, self.registry):
            return self.registry
        return self.registry.joined(project_tools(project, self.services))

    async def bind(self, claimed: Claimed) -> Agent:
        """The agent of a claimed rollout, with the tools of its start. Raises CannotBind."""
        started = next((e.payload for e in claimed.events if isinstance(e.payload, RolloutStarted)), None)
        pinned = await self.store.pinned(started.tools_sha256) if started and started.tools_sha256 else None
        hashes = started.skills if started is not None else {}
        skills = await sync_to_async(kept_skills)(hashes) if hashes else ()
        info = claimed.info
        definition = await asyncio.to_thread(definition_of, info.agent_text)
        registry = self.registry
        if _names_others(definition, registry):
            registry = await sync_to_async(self.registry_for)(info.project, definition)
        agent = await asyncio.to_thread(self._bound, info.agent_text, info.version, registry, pinned, skills)
        return agent if agent.model.startswith(PLAYBOOK) else await sync_to_async(with_abilities)(agent)

    def bind_text(
        self, text: str, version: int, project: str, pinned: str | None = None, skills: Sequence[Skill] = ()
    ) -> Agent:
        """The agent of this text in the project with this public id. Raises CannotBind."""
        return self._bound(text, version, self.registry_for(project, definition_of(text)), pinned, skills)

    def _bound(self, text: str, version: int, registry: Registry, pinned: str | None, skills: Sequence[Skill]) -> Agent:
        root = str(workspace_root())
        return bind(text, version=version, registry=registry, root=root, pinned=pinned, skills=skills)

    def new_rollout(
        self,
        *,
        session: str,
        project_id: str,
        text: str,
        version: int,
        by: str,
        previous_answer: str = "",
        readings: Readings = NO_READINGS,
        metadata: Mapping[str, Any] | None = None,
    ) -> NewRollout:
        """A rollout to be created, its tools pinned. `version` 0: `text` is a draft. Raises CannotBind.

        `readings`: what the previous answer may carry. `metadata`: what is kept with
        the session, if that is not there yet.
        """
        kept = metadata_of(session) if metadata is None else metadata
        agent = self._bind_start(text, version, project_id, kept)
        start = RolloutStarted(
            agent=agent.name,
            agent_version=version,
            by=by,
            previous_answer=previous_answer,
            untrusted_by=readings.untrusted,
            private_by=readings.private,
        )
        info = RolloutInfo(new_rollout_id(), session, project_id, agent.name, version, text)
        return self._begun(info, agent, start, kept)

    async def _new_child(self, parent: RolloutInfo, child: str, start: RolloutStarted, text: str) -> NewRollout:
        """The rollout of an agent that another one invokes; one that cannot run here fails when it is claimed."""
        info = RolloutInfo(
            child, parent.session, parent.project, start.agent, start.agent_version, text, start.root, start.parent
        )
        return await sync_to_async(self._child)(info, start)

    def _child(self, info: RolloutInfo, start: RolloutStarted) -> NewRollout:
        kept = metadata_of(info.session)
        try:
            agent = self._bind_start(info.agent_text, info.version, info.project, kept)
        except CannotBind:
            agent = Agent(name=info.agent, version=info.version)
        return self._begun(info, agent, start, kept)

    def _bind_start(self, text: str, version: int, project_id: str, metadata: Mapping[str, Any]) -> Agent:
        """The agent as it is told of others from now on. Raises CannotBind."""
        definition = definition_of(text)
        skills = skills_of(project_id, definition.skills)
        missing = {skill_name(entry) for entry in definition.skills} - {skill.name for skill in skills}
        if missing:
            raise CannotBind(
                definition.name, f"there is no skill {min(missing)} any more; add it under Settings, Skills"
            )
        return bind(
            text,
            version=version,
            registry=self.registry_for(project_id, definition),
            root=str(workspace_root()),
            descriptions=descriptions_of(project_id, [grant.name for grant in definition.agents]),
            has_peers=bool(interruptible(metadata, definition.name)),
            skills=skills,
        )

    def _begun(self, info: RolloutInfo, agent: Agent, start: RolloutStarted, metadata: Mapping[str, Any]) -> NewRollout:
        """With its first event: its tools pinned, its business state the initial one."""
        tools = tools_text(agent)
        tools_sha256 = sha256(tools)
        self.store.writer.call(KeepPin(tools_sha256, tools))
        for skill in agent.skills:
            self.store.writer.call(KeepPin(skill.sha256, skill.packed))
        changes: dict[str, Any] = {
            "tools_sha256": tools_sha256,
            "skills": {skill.name: skill.sha256 for skill in agent.skills},
            "shared": shared_of(metadata),
        }
        if agent.machine is not None:
            changes["business_state"], changes["vars"] = initial(agent.machine)
        payload = start.model_copy(update=changes)
        started = place(Draft(payload), 1, SystemClock().now(), NO_PREDECESSOR)
        return NewRollout(info, started, project(fold([started]), agent))


def _names_others(definition: Definition, registry: Registry) -> bool:
    """Whether the agent names a tool that is not built in."""
    named = {name for grant in definition.tools for name in (grant.name, grant.fallback, grant.rollback) if name}
    return not named <= {*registry.names, *registry.groups}


def workspace_root() -> Path:
    """The folder that agents' workspaces are in; an administrator's choice, else in the data folder."""
    chosen = os.environ.get("STUDIO_WORKSPACE")
    folder = Path(chosen).expanduser().resolve() if chosen else settings.DATA_FOLDER / "workspace"
    folder.mkdir(parents=True, exist_ok=True)
    return Path(folder)


def outbound_policy() -> OutboundPolicy:
    """The hosts beyond the public internet that an administrator allows. Raises BadAllowance."""
    return OutboundPolicy.parse(os.environ.get("STUDIO_OUTBOUND_ALLOW", ""))


@cache
def running() -> Running:
    """This process's runtime, made when first asked for."""
    redactor = Redactor()
    services = ToolServices(GuardedClient(outbound_policy()), StoredSecrets(redactor), stored_sandbox())
    return Running(DjangoStore(Writer()), InProcessHub(), discover(services), redactor)
