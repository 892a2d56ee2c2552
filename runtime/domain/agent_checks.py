"""The agents that an agent may invoke: each once, published, and with a description that the model can choose by."""

from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.machine_nodes import variable_names
from runtime.domain.name_checks import named_items
from runtime.domain.spelling import did_you_mean
from runtime.domain.yaml_node import MappingNode, ScalarNode, SequenceNode, child


def check_agents(root: MappingNode, known: Known, findings: Findings) -> None:
    """Errors for an agent that is listed twice or given variables that do not exist; warnings for what is missing."""
    seen: set[str] = set()
    for name in named_items(root.get("agents")):
        if name.text in seen:
            findings.error(name, f"The agent `{name.text[:60]}` is listed twice. Keep one of them.")
        elif not known.descriptions.get(name.text, "-").strip():
            sentence = f"The agent `{name.text}` has no `description`: the model cannot tell what it is for. Add one."
            findings.warning(name, sentence)
        elif name.text in known.unpublished:
            sentence = f"The agent `{name.text}` has no published version yet, so it cannot be invoked. Publish it."
            findings.warning(name, sentence)
        seen.add(name.text)
    _check_variables(root, findings)


def _check_variables(root: MappingNode, findings: Findings) -> None:
    known = variable_names(root)
    agents = root.get("agents")
    for agent in agents.items if isinstance(agents, SequenceNode) else ():
        context = child(agent, "context")
        variables = child(context, "variables") if context else None
        for name in variables.items if isinstance(variables, SequenceNode) else ():
            if isinstance(name, ScalarNode) and name.text not in known:
                meant = did_you_mean(name.text, known) or " Declare it in `states`, under `variables`."
                findings.error(name, f"There is no variable `{name.text[:60]}`.{meant}")
