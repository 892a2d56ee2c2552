"""What the model of an agent can take: how much of a prompt, and whether images."""

from dataclasses import replace

from runtime.domain.agent import Agent
from runtime.providers.litellm.cost import is_listed
from runtime.providers.litellm.prices import listed
from studio.store.connections import connection_of

PLAYBOOK = "playbook/"
ANSWER_TOKENS = 4096
"""How long an answer is taken to be where the agent file does not say."""


def with_abilities(agent: Agent) -> Agent:
    """The agent, told what is known here of its model; what its file says of the window stands."""
    if agent.model.startswith(PLAYBOOK) or agent.window.tokens:
        return agent
    window = window_tokens(agent.model)
    answer = int(agent.settings.get("max_tokens") or ANSWER_TOKENS)
    return replace(agent, window=replace(agent.window, tokens=max(0, window - answer)))


def sees_images(model: str) -> bool:
    """Whether the model can be shown images. A server of one's own is believed to; it says so itself if it cannot."""
    if model.startswith(PLAYBOOK):
        return True
    found = connection_of(model)
    if found is None:
        return listed(model).sees_images
    return listed(found[0].litellm_model).sees_images or not is_listed(found[0])


def window_tokens(model: str) -> int:
    """The longest prompt: as an administrator entered it, else by LiteLLM's list; 0 = not known."""
    found = connection_of(model)
    if found is None:
        return listed(model).window_tokens
    connection, window = found
    return window or (listed(connection.litellm_model).window_tokens if is_listed(connection) else 0)
