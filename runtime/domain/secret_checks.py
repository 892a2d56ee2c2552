"""Values in a YAML text that look like secrets, as errors that give advice and never the value."""

from runtime.domain.findings import Findings
from runtime.domain.secret_shape import SecretShape, is_secret_value, secret_shapes
from runtime.domain.yaml_node import Entry, MappingNode, Node, ScalarNode, SequenceNode


def report_secrets(node: Node, findings: Findings) -> None:
    """An error for each line of a value that looks like a secret; comments are not looked at."""
    match node:
        case MappingNode():
            for entry in node.entries:
                _report_entry(entry, findings)
        case SequenceNode():
            for item in node.items:
                report_secrets(item, findings)
        case ScalarNode():
            _report_scalar(node, findings)


def _report_entry(entry: Entry, findings: Findings) -> None:
    key, value = entry.key, entry.value
    if any(secret_shapes(key.text)):
        findings.secret(key.start, key.end, key.path[:-1], _sentence("a key or token"), hides=key.path)
        return
    before = findings.count()
    report_secrets(value, findings)
    is_new = findings.count() == before
    if is_new and isinstance(value, ScalarNode) and is_secret_value(key.text, value.text):
        findings.secret(value.start, value.end, value.path, _sentence("a key"))


def _report_scalar(node: ScalarNode, findings: Findings) -> None:
    raw = findings.lines.text[node.start : node.end]
    shapes = list(secret_shapes(raw))
    if not shapes and node.style == '"':
        shapes = [SecretShape(0, len(raw), shape.kind) for shape in secret_shapes(node.text)][:1]
    seen: set[int] = set()
    for shape in shapes:
        line = findings.lines.place(node.start + shape.start)[0]
        if line not in seen:
            findings.secret(node.start + shape.start, node.start + shape.end, node.path, _sentence(shape.kind))
        seen.add(line)


def _sentence(kind: str) -> str:
    return (
        f"This looks like {kind}. Store it as a secret and write only its name here (`secret: NAME`); "
        "then change it where it came from, because it was written down."
    )
