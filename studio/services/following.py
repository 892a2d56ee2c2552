"""A message to an agent without a living rollout starts one; it is shown the last answer of the one before."""

from dataclasses import replace

from runtime.domain.agent import Agent as BoundAgent
from runtime.domain.apply import fold
from runtime.domain.events import AgentOutput, Payload, UserInterrupt
from runtime.domain.events.versions import load
from runtime.domain.readings import NO_READINGS, Readings
from runtime.domain.taint import read_by
from runtime.domain.urgency import is_immediate
from runtime.ports import Accepted, Arrival, NewRollout, RolloutEnded
from studio.errors import NotThereAny
from studio.models import Agent, AmpSession, Event, Rollout, User
from studio.services.faults import Faulty, refusals
from studio.services.rollout_agent import agent_of, newest_text, text_of
from studio.store import ContinueSession, trajectory
from studio.store.codes import TYPE_CODES
from studio.wiring import running


def follow_up(user: User, ended: Rollout, arrival: Arrival) -> Accepted:
    """Accepts the arrival in a new rollout of the agent's current version; of its draft, if that is what was tried.

    Raises RolloutEnded for what has no sense in a new rollout (a stop, a decision), CannotBind, QueueFull, KeyReused.
    """
    if not _begins(arrival.payload):
        raise RolloutEnded(ended.public_id)
    newest = ended.agent.versions.order_by("-number").first() if ended.version is not None else None
    text, version = (newest.text, newest.number) if newest is not None else text_of(ended)
    answer = last_answer(ended)
    new = running().new_rollout(
        session=ended.session.public_id,
        project_id=ended.session.project.public_id,
        text=text,
        version=version,
        by=str(user),
        previous_answer=answer,
        readings=_readings(ended) if answer else NO_READINGS,
    )
    return _continue(new, arrival)


def begin_agent(user: User, session: AmpSession, agent: Agent, arrival: Arrival) -> Accepted:
    """Accepts the arrival as the first event of an agent that takes part in the session and was not spoken to yet.

    Raises NotThereAny for a stop, Refused (nothing published), or a Faulty.
    """
    if not _begins(arrival.payload):
        raise NotThereAny(f"The agent {agent.name} has not begun, so there is nothing to stop.")
    text, version = newest_text(agent)
    with refusals():
        new = running().new_rollout(
            session=session.public_id,
            project_id=session.project.public_id,
            text=text,
            version=version,
            by=str(user),
        )
        accepted = _continue(new, arrival)
    running().nudge(accepted.rollout)
    return accepted


def _begins(payload: Payload) -> bool:
    """Whether a rollout may begin with it: a stop or a decision makes no sense in a new one."""
    is_bare_stop = isinstance(payload, UserInterrupt) and payload.is_bare
    return payload.wakes and not is_immediate(payload) and not is_bare_stop


def _continue(new: NewRollout, arrival: Arrival) -> Accepted:
    accepted = running().store.writer.call(ContinueSession(new, replace(arrival, rollout=new.info.rollout)))
    running().hub.changed(new.info.session)
    return accepted


def _readings(ended: Rollout) -> Readings:
    """What the answer may carry of what was read for it; of an agent that cannot run here any more, anything."""
    try:
        agent = agent_of(ended)
    except Faulty:
        agent = BoundAgent(name=ended.agent.name)
    return read_by(fold(trajectory(ended.pk)), agent)


def last_answer(rollout: Rollout) -> str:
    """The last text that the agent gave to people; empty if there is none."""
    outputs = Event.objects.filter(rollout=rollout, type=TYPE_CODES["agent.output"]).order_by("-seq")
    row = outputs.values_list("v", "payload").first()
    if row is None:
        return ""
    payload = load("agent.output", *row)
    return payload.content if isinstance(payload, AgentOutput) else ""
