"""Whether a rollout has read what nobody vouches for. Source: security.md, law 6. Pure."""

from runtime.domain.agent import Agent, is_framework_call
from runtime.domain.state import State
from runtime.domain.tool import Label


def has_read_untrusted(state: State, agent: Agent) -> bool:
    """True once a tool that reads untrusted content has answered, or a trigger, an agent or a memory brought some.

    It stays so for the rest of the rollout, since what was read stays in its history. Of a tool that is gone nobody
    knows what it read.
    """
    return state.is_untrusted or any(_is_untrusted(name, agent) for name in state.sources)


def _is_untrusted(name: str, agent: Agent) -> bool:
    if is_framework_call(name):
        return False
    spec = agent.any_tool(name)
    return spec is None or Label.READS_UNTRUSTED in spec.labels
