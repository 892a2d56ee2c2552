"""Sessions as tests need them: an agent, a session of a person, a call about which a person is asked."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from runtime.domain.apply import fold
from runtime.domain.arguments import args_sha256
from runtime.domain.events import ApprovalRequest, ApprovalWhy, StepCompleted, StepStarted, ToolRequest, ToolStarted
from runtime.domain.redaction import Redactor
from runtime.domain.trajectory import AGENT, Draft
from runtime.engine.change import Change
from runtime.ports import Append
from studio.models import Agent, AgentVersion, AmpSession, Rollout, StandingGrant, Trigger, User, Workflow
from studio.services.agents import create_agent, publish, sha256_of
from studio.services.audit import Actor
from studio.services.sessions import Start, start, start_session
from studio.services.workflows import save_workflow
from studio.store import CreateRollout, trajectory
from studio.store.appending import AppendEvents
from studio.store.leasing import Claim, Release
from studio.wiring import running

TEXT = "name: {name}\nmodel: playbook/echo\nsystem_prompt: You are helpful.\n"
CALL = ToolRequest(call_id="0.0", tool="pay", args={"amount": 60})


def published_agent(author: User, name: str = "echo") -> Agent:
    """An agent of the author's project."""
    actor = Actor(author, "test")
    agent = create_agent(actor, author.memberships.get().project, TEXT.format(name=name))
    publish(actor, agent)
    return agent


def agent_with(author: User, name: str, more: str) -> Agent:
    """An agent whose file goes on with `more`; its version is there whether or not all of that acts yet."""
    text = TEXT.format(name=name) + more
    agent = create_agent(Actor(author, "test"), author.memberships.get().project, text)
    AgentVersion.objects.create(agent=agent, number=1, text=text, sha256=sha256_of(text))
    return agent


def session_of(user: User, agent: Agent, title: str = "") -> AmpSession:
    created = start_session(user, agent.name, title)
    return AmpSession.objects.select_related("project").get(public_id=created.session)


def rollout_of(session: AmpSession) -> Rollout:
    """The session's rollout, with what services want beside it."""
    return Rollout.objects.select_related("session__project", "agent", "version").get(session=session)


def session_of_agents(user: User, agents: Sequence[Agent], title: str = "") -> AmpSession:
    """A session with several agents; the first is the entry agent."""
    created = start(user, Start([agent.name for agent in agents], title=title))
    return AmpSession.objects.select_related("project", "entry_agent").get(public_id=created.session)


def record(rollout: Rollout, drafts: Sequence[Draft]) -> None:
    """Puts events at the end of the rollout's trajectory, as its worker does."""
    writer = running().store.writer
    claimed = writer.call(Claim(rollout.public_id, "worker"))
    events = trajectory(rollout.pk)
    bound = running().bind_text(rollout.version.text, rollout.version.number, rollout.session.project.public_id)
    change = Change(fold(events), events[-1].at, Redactor(), bound, rollout.public_id)
    change.add(drafts)
    append = Append(rollout.public_id, claimed.epoch, claimed.urgent, change.events, [], change.projection())
    writer.call(AppendEvents(append))
    writer.call(Release(rollout.public_id, claimed.epoch))


def child_of(parent: Rollout) -> Rollout:
    """A rollout of the same agent that the parent has invoked."""
    session = parent.session
    new = running().new_rollout(
        session=session.public_id,
        project_id=session.project.public_id,
        text=parent.version.text,
        version=parent.version.number,
        by=parent.agent.name,
    )
    info = replace(new.info, root=parent.public_id, parent=parent.public_id)
    running().store.writer.call(CreateRollout(replace(new, info=info)))
    return Rollout.objects.select_related("session__project", "agent", "version").get(public_id=info.rollout)


def step(*drafts: Draft, number: int = 0) -> list[Draft]:
    """The events of one whole step."""
    started = StepStarted(model="playbook/echo", seen=1, prompt_sha256="0" * 64)
    return [Draft(started, step=number), *drafts, Draft(StepCompleted(), step=number)]


def asked_about_pay(session: AmpSession) -> Rollout:
    """The session's rollout, whose call `pay` was running when its worker died: a person is asked at seq 6."""
    asked = ApprovalRequest(call_id="0.0", why=ApprovalWhy.UNKNOWN_OUTCOME)
    after = [Draft(ToolStarted(call_id="0.0"), step=0), Draft(asked, step=0)]
    record(rollout_of(session), [*step(Draft(CALL, AGENT, step=0)), *after])
    return rollout_of(session)


def asked_for_leave(session: AmpSession, call: ToolRequest = CALL, **asked: Any) -> Rollout:
    """The session's rollout, whose call waits for leave by its policy: a person is asked at seq 5."""
    sha256 = args_sha256(call.tool, call.args or {})
    said = {"why": ApprovalWhy.POLICY, "tool": call.tool, "args_sha256": sha256} | asked
    request = ApprovalRequest(call_id=call.call_id, **said)
    record(rollout_of(session), [*step(Draft(call, AGENT, step=0)), Draft(request, step=0)])
    return rollout_of(session)


def workflow_of(agent: Agent) -> Workflow:
    """A way to start sessions with that agent."""
    text = f"workflow: with-{agent.name}\nagents: [{agent.name}]\nentry: {agent.name}\n"
    return save_workflow(Actor.terminal(), agent.project, text)[0]


def schedule_of(agent: Agent) -> Trigger:
    """A schedule of that agent, as its newest version would have it."""
    settings = {"cron": "0 9 * * *", "timezone": "UTC", "input": "Daily report", "overlap": "skip"}
    return Trigger.objects.create(agent=agent, kind="schedule", name="0 9 * * * UTC", settings=settings)


def granted(rollout: Rollout, giver: User) -> StandingGrant:
    """A standing grant of the rollout's session."""
    session = rollout.session
    return StandingGrant.objects.create(
        project=session.project, session=session, agent=rollout.agent, tool="pay", given_by=giver
    )
