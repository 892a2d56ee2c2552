"""The agent that a rollout runs, bound to the tools of this installation."""

from runtime.domain.agent import Agent
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
        return running().bind_text(text, version)
