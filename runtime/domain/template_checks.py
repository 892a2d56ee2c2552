"""The placeholders of an agent's template, checked against what the agent has."""

from runtime.domain.findings import Findings
from runtime.domain.machine_nodes import variable_names
from runtime.domain.template import ALWAYS_KNOWN, Template, compile_template, placeholder_problems
from runtime.domain.yaml_node import MappingNode, ScalarNode


def check_template(root: MappingNode, findings: Findings) -> None:
    """An error for each thing in `user_prompt_template` that cannot be rendered, at its own line."""
    node = root.get("user_prompt_template")
    if not isinstance(node, ScalarNode) or not isinstance(node.value, str) or findings.is_wrong(node.path):
        return
    template = compile_template(node.text)
    if root.get("memory") is None:
        _hint_at_no_memory(template, node, findings)
    unknown = placeholder_problems(template, (*ALWAYS_KNOWN, *_variables(root)))
    raw, cursor = findings.lines.text[node.start : node.end], 0
    for problem in sorted([*template.problems, *unknown], key=lambda problem: problem.start):
        snippet = node.text[problem.start : problem.end]
        found = raw.find(snippet, cursor)
        if found < 0:  # written with escapes or folded: the value as a whole is shown
            findings.error_at(node.start, node.start + 1, node.path, problem.message)
            continue
        findings.error_at(node.start + found, node.start + found + len(snippet), node.path, problem.message)
        cursor = found + 1


def _hint_at_no_memory(template: Template, node: ScalarNode, findings: Findings) -> None:
    """A hint if the template names what is remembered, and the agent has no memory."""
    named = next((one for one in template.placeholders if one.path[0] == "memory"), None)
    if named is not None:
        name = ".".join(named.path)
        findings.hint(node, f"`{name[:60]}` stays empty: this agent has no `memory`. Add `memory: {{}}` to fill it.")


def _variables(root: MappingNode) -> list[str]:
    return [pattern for name in sorted(variable_names(root)) for pattern in (f"vars.{name}", f"vars.{name}.*")]
