"""The agent that a rollout runs, bound to the tools of this installation."""

from runtime.domain.agent import Agent
from studio.errors import Refused
from studio.models import Agent as AgentRow
from studio.models import Rollout
from studio.services.faults import refusals
from studio.wiring import running


def text_of(rollout: Rollout) -> tuple[str, int]:
    """The agent's text and version number; 0 for a draft."""
    if rollout.version is not None:
        return rollout.version.text, rollout.version.number
    return rollout.draft_text or "", 0


def agent_of(rollout: Rollout) -> Agent:
    """Raises a Faulty if this installation cannot run it."""
    text, version = text_of(rollout)
    with refusals():
        return running().bind_text(text, version, rollout.session.project.public_id)


def newest_text(agent: AgentRow) -> tuple[str, int]:
    """The text and number of the newest published version. Raises Refused if there is none."""
    newest = agent.versions.order_by("-number").first()
    if newest is None:
        raise Refused(f"The agent {agent.name} has no published version yet. Publish it first, or try its draft.")
    return newest.text, newest.number


def published_agent(agent: AgentRow) -> Agent:
    """The newest published version, bound. Raises Refused, or a Faulty if this installation cannot run it."""
    text, version = newest_text(agent)
    with refusals():
        return running().bind_text(text, version, agent.project.public_id)
