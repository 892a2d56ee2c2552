"""The schemas of an agent's input and answer, checked before anybody relies on them."""

from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.yaml_node import MappingNode, ScalarNode, plain_value


def check_schemas(root: MappingNode, known: Known, findings: Findings) -> None:
    """An error for a schema that is none; an input is a form, so its schema is that of an object."""
    for name in ("input_schema", "output_schema"):
        node = root.get(name)
        if not isinstance(node, MappingNode) or findings.is_wrong(node.path):
            continue
        schema = plain_value(node)
        problem = known.schema_problem(schema) if known.schema_problem is not None else None
        if problem:
            findings.error(node, f"`{name}` is no JSON Schema: {problem}.")
    node = root.get("input_schema")
    type_ = node.get("type") if isinstance(node, MappingNode) else None
    if isinstance(type_, ScalarNode) and type_.value != "object":
        findings.error(type_, "`input_schema` is a form, so its `type` must be `object`.")
