"""Untrusted reading, private data and sending out in one rollout. Source: security.md, law 6. Pure.

What counts comes from the labels of the tools whose results have come, and from what else the trajectory says was read.
It stays so for the rest of the rollout, since what was read stays in its history. Of a tool that is gone nobody knows
what it read.
"""

from runtime.domain.agent import Agent, is_framework_call
from runtime.domain.readings import Readings
from runtime.domain.state import State
from runtime.domain.tool import Label, ToolSpec


def read_by(state: State, agent: Agent) -> Readings:
    """Where the rollout has read each sort first, in words; empty where it has not."""
    untrusted = _read(state, agent, Label.READS_UNTRUSTED) or state.readings.untrusted
    private = _read(state, agent, Label.READS_PRIVATE) or state.readings.private
    return Readings(untrusted, private)


def has_read_untrusted(state: State, agent: Agent) -> bool:
    """True once a tool that reads untrusted content has answered, or a trigger, an agent or a memory brought some."""
    return bool(read_by(state, agent).untrusted)


def leak_of(state: State, agent: Agent, spec: ToolSpec) -> str:
    """Why a person has to look at a call of this tool, in words; empty if it need not be.

    It sends to the outside, and the rollout has read untrusted content and private data: what it read may have told it
    to send the one to whoever wrote the other.
    """
    if Label.SENDS_EXTERNAL not in spec.labels:
        return ""
    read = read_by(state, agent)
    if not read.untrusted or not read.private:
        return ""
    return (
        f"{spec.name} sends to the outside, and the agent has read what nobody vouches for ({read.untrusted}) and "
        f"private data ({read.private})."
    )


def _read(state: State, agent: Agent, label: Label) -> str:
    for name, call_id in state.sources.items():
        if not is_framework_call(name):
            spec = agent.any_tool(name)
            if spec is None or label in spec.labels:
                return f"{name} in call {call_id}"
    return ""
