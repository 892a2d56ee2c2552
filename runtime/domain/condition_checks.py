"""The conditions of an agent file: approvals of tools, guards and approvals of moves, and what a move computes."""

import re
from collections.abc import Collection, Iterator, Mapping

from runtime.domain.condition import problem_with
from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.machine_nodes import assignments_of, states_of, text_of, transitions_of, variable_names
from runtime.domain.spelling import did_you_mean
from runtime.domain.tool_policy import APPROVAL_WORDS, MODES
from runtime.domain.yaml_node import MappingNode, ScalarNode, SequenceNode, child

type Names = Mapping[str, Collection[str] | None]

USER = ("id", "name")
_WORD = re.compile(r"[A-Za-z][A-Za-z_ -]*")


def check_conditions(root: MappingNode, known: Known, findings: Findings) -> None:
    """An error for each condition that does not compile or names what is not there."""
    variables = variable_names(root)
    for tool in _tools(root):
        name, approval = text_of(tool.get("name")), text_of(tool.get("approval"))
        if name and approval:
            names = {"args": _arguments(name.text, known), "vars": variables, "user": USER}
            _check_approval(approval, APPROVAL_WORDS, names, findings)
    mode = text_of(root.get("approval_mode"))
    if mode and mode.text.strip().lower() not in MODES:
        _check_approval(mode, sorted(MODES), {"args": None, "vars": variables, "user": USER}, findings)
    names = {"args": None, "vars": variables, "result": None, "user": USER}
    for state in states_of(root):
        for transition in transitions_of(state.value):
            _check_transition(transition, names, findings)


def _check_transition(transition: MappingNode, names: Names, findings: Findings) -> None:
    guard, approval = text_of(transition.get("guard")), text_of(transition.get("approval"))
    if guard:
        _check(guard, guard.text, names, findings)
    if approval and approval.text.strip() == "once":
        findings.error(approval, "The `approval` of a transition must be `never`, `always` or a condition.")
    elif approval:
        _check_approval(approval, ("never", "always"), names, findings)
    for entry in assignments_of(transition):
        value = text_of(entry.value)
        if value and value.text.startswith("="):
            _check(value, value.text[1:].strip(), names, findings)


def _check_approval(node: ScalarNode, words: Collection[str], names: Names, findings: Findings) -> None:
    text = node.text.strip()
    if text in words:
        return
    if _WORD.fullmatch(text) and text not in names:
        meant = did_you_mean(text, words)
        choices = " or ".join(f"`{word}`" for word in words)
        sentence = f"`{text[:60]}` is no time to ask for approval.{meant} Write {choices}, or a condition."
        findings.error(node, sentence if not meant else sentence.partition(" Write ")[0])
        return
    _check(node, text, names, findings)


def _check(node: ScalarNode, text: str, names: Names, findings: Findings) -> None:
    problem = problem_with(text, names)
    if problem:
        findings.error(node, problem)


def _arguments(tool: str, known: Known) -> frozenset[str] | None:
    """The arguments of a tool, or of any tool of a group; None if they are not known."""
    members = known.tool_groups.get(tool, (tool,))
    if not all(member in known.tools for member in members):
        return None
    return frozenset(name for member in members for name in known.tools[member].schema.get("properties", {}))


def _tools(root: MappingNode) -> Iterator[MappingNode]:
    tools = root.get("tools")
    for tool in tools.items if isinstance(tools, SequenceNode) else ():
        if isinstance(tool, MappingNode) and child(tool, "name") is not None:
            yield tool
