"""The variables of the business state: their names, their defaults, and what transitions put into them."""

import re
from collections.abc import Mapping

from pydantic import ValidationError

from runtime.domain.definition import Variable
from runtime.domain.findings import Findings
from runtime.domain.machine_nodes import assignments_of, states_of, transitions_of, variables_of
from runtime.domain.machine_variables import NOW, value_problem
from runtime.domain.spelling import did_you_mean
from runtime.domain.yaml_node import Entry, MappingNode, ScalarNode, plain_value

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_variables(root: MappingNode, findings: Findings) -> None:
    """Errors for values of the wrong type; warnings for names that are declared nowhere or hard to write."""
    declared = _declared(root, findings)
    for state in states_of(root):
        for transition in transitions_of(state.value):
            for entry in assignments_of(transition):
                _check_assignment(entry, declared, findings)


def _declared(root: MappingNode, findings: Findings) -> dict[str, Variable]:
    found: dict[str, Variable] = {}
    variables = variables_of(root)
    for entry in variables.entries if variables else ():
        name = entry.key.text
        if not _PLAIN_NAME.fullmatch(name):
            sentence = (
                f'A condition must write this as `vars["{name[:60]}"]`. Use only letters, digits and _ to avoid it.'
            )
            findings.warning(entry.key, sentence)
        try:
            found[name] = Variable.model_validate(plain_value(entry.value))
        except ValidationError:
            continue  # said at its place already
        default = entry.value.get("default") if isinstance(entry.value, MappingNode) else None
        problem = "" if found[name].default is None else value_problem(found[name], found[name].default)
        if problem and default is not None:
            findings.error(default, f"The default of `{name[:60]}` {problem}.")
    return found


def _check_assignment(entry: Entry, declared: Mapping[str, Variable], findings: Findings) -> None:
    name = entry.key.text
    if name not in declared:
        meant = did_you_mean(name, declared) or " Declare it with its type under `variables`."
        findings.warning(entry.key, f"`{name[:60]}` is no declared variable.{meant}")
        return
    if isinstance(entry.value, ScalarNode) and isinstance(entry.value.value, str):
        if entry.value.text.startswith("="):
            return
        if entry.value.text == NOW:
            if declared[name].type != "string":
                findings.error(
                    entry.value, f"`now` is a time as text, and `{name[:60]}` is of type {declared[name].type}."
                )
            return
    problem = value_problem(declared[name], plain_value(entry.value))
    if problem:
        findings.error(entry.value, f"`{name[:60]}` {problem}.")
