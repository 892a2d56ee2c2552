"""Names in an agent file that point at something outside of it: tools, agents, models."""

from collections.abc import Collection, Iterator

from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.spelling import did_you_mean
from runtime.domain.tool_source import SOURCES
from runtime.domain.yaml_node import MappingNode, Node, ScalarNode, SequenceNode, child

PLAYBOOK = "playbook/"


def check_names(root: MappingNode, known: Known, findings: Findings) -> None:
    """Report every name that is not known, if what is known is complete."""
    if not known.complete:
        return
    for name in named_items(root.get("tools")):
        if name.text not in SOURCES:
            _check(name, "tool", (*known.tools, *known.tool_groups, "system_tools"), findings)
    own = root.get("name")
    agents = {*known.agents, *((own.text,) if isinstance(own, ScalarNode) else ())}
    for name in named_items(root.get("agents")):
        _check(name, "agent", agents, findings)
    for model in model_nodes(root):
        _check_model(model, known, findings)


def _check(name: ScalarNode, what: str, known: Collection[str], findings: Findings) -> None:
    if name.text not in known:
        meant = did_you_mean(name.text, known) or f" Add that {what} first, or remove the name."
        findings.error(name, f"There is no {what} `{name.text[:60]}`.{meant}")


def _check_model(model: ScalarNode, known: Known, findings: Findings) -> None:
    name = model.text
    if name.startswith(PLAYBOOK):
        _check_playbook(model, name.removeprefix(PLAYBOOK), known, findings)
    elif "/" not in name and name not in known.models:
        meant = did_you_mean(name, known.models) or " Write `provider/model`, or ask an administrator to add it."
        findings.error(model, f"There is no model connection `{name[:60]}`.{meant}")


def _check_playbook(model: ScalarNode, name: str, known: Known, findings: Findings) -> None:
    if name not in known.playbooks:
        findings.error(model, f"There is no playbook `{name[:60]}`.{did_you_mean(name, known.playbooks)}")


def model_nodes(root: MappingNode) -> Iterator[ScalarNode]:
    """The model, then its fallbacks."""
    model, others = root.get("model"), root.get("fallback_models")
    for node in (model, *(others.items if isinstance(others, SequenceNode) else ())):
        if isinstance(node, ScalarNode) and isinstance(node.value, str):
            yield node


def named_items(items: Node | None) -> Iterator[ScalarNode]:
    """The names in a list of names, or of mappings with a `name`."""
    for item in items.items if isinstance(items, SequenceNode) else ():
        name = item if isinstance(item, ScalarNode) else child(item, "name")
        if isinstance(name, ScalarNode) and isinstance(name.value, str):
            yield name
