"""The tools that states allow, against those that the agent has."""

from collections.abc import Iterator

from runtime.domain.agent import invoke_name
from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.machine_nodes import states_of, text_of
from runtime.domain.name_checks import named_items
from runtime.domain.spelling import did_you_mean
from runtime.domain.tool_source import SOURCES
from runtime.domain.yaml_node import MappingNode, ScalarNode, SequenceNode, child


def check_state_tools(root: MappingNode, known: Known, findings: Findings) -> None:
    """Errors for tools that the agent has not; warnings for tools and agents that no state allows."""
    tools, agents = list(named_items(root.get("tools"))), list(named_items(root.get("agents")))
    lists = [child(entry.value, "tools") for entry in states_of(root)]
    named = [item for node in lists if isinstance(node, SequenceNode) for item in _texts(node)]
    _check_named(named, tools, agents, known, findings)
    if lists and all(isinstance(node, SequenceNode) for node in lists):
        allowed = {tool for item in named for tool in _members(item.text, known)}
        _check_unused(tools, agents, allowed, known, findings)


def _check_named(
    named: list[ScalarNode], tools: list[ScalarNode], agents: list[ScalarNode], known: Known, findings: Findings
) -> None:
    granted = {tool for name in tools for tool in (*_members(name.text, known), name.text)}
    others = {name for agent in agents for name in (agent.text, invoke_name(agent.text))}
    # `files` may be a group whose tools are not known here
    if any(name.text not in known.tools and name.text not in known.tool_groups for name in tools):
        return
    for item in named:
        members = _members(item.text, known)
        if item.text not in others and not granted & {*members, item.text}:
            meant = did_you_mean(item.text, granted | others) or " Grant it under `tools`, or remove it here."
            findings.error(item, f"This agent has no tool `{item.text[:60]}`.{meant}")


def _check_unused(
    tools: list[ScalarNode], agents: list[ScalarNode], allowed: set[str], known: Known, findings: Findings
) -> None:
    for name in tools:
        if name.text not in SOURCES and not allowed & {*_members(name.text, known), name.text}:
            findings.warning(name, f"No state allows the tool `{name.text[:60]}`. Add it to a state, or remove it.")
    for name in agents:
        if not allowed & {name.text, invoke_name(name.text)}:
            sentence = f"No state allows the agent `{name.text[:60]}`. Add it to a state's `tools`, or remove it."
            findings.warning(name, sentence)


def _members(name: str, known: Known) -> tuple[str, ...]:
    """The tools of a group; a single one is itself."""
    return tuple(known.tool_groups.get(name, (name,)))


def _texts(node: SequenceNode) -> Iterator[ScalarNode]:
    for item in node.items:
        found = text_of(item)
        if found is not None:
            yield found
