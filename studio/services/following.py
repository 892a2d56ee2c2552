"""A message to a rollout that has ended starts a new one, which is shown the last answer of the old."""

from dataclasses import replace

from runtime.domain.events import AgentOutput, UserInterrupt
from runtime.domain.events.versions import load
from runtime.domain.urgency import is_immediate
from runtime.ports import Accepted, Arrival, RolloutEnded
from studio.models import Event, Rollout, User
from studio.services.rollout_agent import text_of
from studio.store import ContinueSession
from studio.store.codes import TYPE_CODES
from studio.wiring import running


def follow_up(user: User, ended: Rollout, arrival: Arrival) -> Accepted:
    """Accepts the arrival in a new rollout of the agent's current version; of its draft, if that is what was tried.

    Raises RolloutEnded for what has no sense in a new rollout (a stop, a decision), CannotBind, QueueFull, KeyReused.
    """
    payload = arrival.payload
    is_bare_stop = isinstance(payload, UserInterrupt) and payload.is_bare
    if not payload.wakes or is_immediate(payload) or is_bare_stop:
        raise RolloutEnded(ended.public_id)
    newest = ended.agent.versions.order_by("-number").first() if ended.version is not None else None
    text, version = (newest.text, newest.number) if newest is not None else text_of(ended)
    new = running().new_rollout(
        session=ended.session.public_id,
        project_id=ended.session.project.public_id,
        text=text,
        version=version,
        by=str(user),
        previous_answer=last_answer(ended),
    )
    accepted = running().store.writer.call(ContinueSession(new, replace(arrival, rollout=new.info.rollout)))
    running().hub.changed(ended.session.public_id)
    return accepted


def last_answer(rollout: Rollout) -> str:
    """The last text that the agent gave to people; empty if there is none."""
    outputs = Event.objects.filter(rollout=rollout, type=TYPE_CODES["agent.output"]).order_by("-seq")
    row = outputs.values_list("v", "payload").first()
    if row is None:
        return ""
    payload = load("agent.output", *row)
    return payload.content if isinstance(payload, AgentOutput) else ""
