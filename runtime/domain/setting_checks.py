"""The settings of the tools in an agent file: their names and the kind of their values."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.problem import Fix
from runtime.domain.spelling import did_you_mean, nearest
from runtime.domain.tool_entry import POLICY_KEYS
from runtime.domain.yaml_node import Entry, MappingNode, Node, ScalarNode, SequenceNode, child

type Properties = Mapping[str, Mapping[str, Any]]

_WORKSPACE: Properties = {"workspace": {"type": "string"}, "max_output_chars": {"type": "integer", "minimum": 1000}}
_BUILT_IN: Mapping[str, Properties] = {
    "files": _WORKSPACE,
    "search": _WORKSPACE,
    "shell": _WORKSPACE,
    "clock": {},
    "calculator": {},
    "http": {},
    "mcp": {"server": {"type": "string"}, "only": {}},
    "openapi": {"spec": {"type": "string"}, "only": {}, "base_url": {"type": "string"}, "auth": {}},
}
_KINDS: Mapping[str, tuple[type, str]] = {
    "string": (str, "text"),
    "integer": (int, "a whole number"),
    "number": (float, "a number"),
    "boolean": (bool, "true or false"),
}


def check_settings(root: MappingNode, known: Known, findings: Findings) -> None:
    """Errors for settings that a tool or group does not have, or whose value it cannot take.

    Of a tool that is not known only those settings are told that look like a misspelt policy.
    """
    for name, entry in _settings(root.get("tools")):
        properties = _properties(name, known)
        key = entry.key
        if properties is not None and key.text in properties:
            _check_value(entry, properties[key.text], findings)
        elif properties is not None or nearest(key.text, POLICY_KEYS):
            words = (*(properties or ()), *POLICY_KEYS)
            meant = nearest(key.text, words)
            fix = Fix(f"Change to {meant}", key.start, key.end, meant) if meant else None
            sentence = (
                f"`{key.text[:60]}` is no setting of `{name[:60]}`.{did_you_mean(key.text, words) or ' Remove it.'}"
            )
            findings.error(key, sentence, fix)


def _settings(tools: Node | None) -> Iterator[tuple[str, Entry]]:
    for item in tools.items if isinstance(tools, SequenceNode) else ():
        name, settings = child(item, "name"), child(item, "settings")
        if isinstance(name, ScalarNode) and isinstance(settings, MappingNode):
            yield from ((name.text, entry) for entry in settings.entries)


def _properties(name: str, known: Known) -> Properties | None:
    if name in known.settings:
        properties: Properties = known.settings[name].get("properties", {})
        return properties
    return _BUILT_IN.get(name)


def _check_value(entry: Entry, schema: Mapping[str, Any], findings: Findings) -> None:
    kind = _KINDS.get(str(schema.get("type")))
    if kind is None:
        return
    value = entry.value.value if isinstance(entry.value, ScalarNode) else entry.value
    wanted, words = kind
    fits = isinstance(value, (int, float) if wanted is float else wanted)
    if not fits or (isinstance(value, bool) and wanted is not bool):
        findings.error(entry.value, f"`{entry.key.text}` must be {words}.")
        return
    if entry.key.text == "workspace" and _leads_out(str(value)):
        sentence = "`workspace` must be a folder inside the workspace folder, such as `.` or `invoices`."
        findings.error(entry.value, sentence)
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(value, int | float) and low is not None and value < low:
        findings.error(entry.value, f"`{entry.key.text}` is out of range: it must be at least {low:,}.")
    elif isinstance(value, int | float) and high is not None and value > high:
        findings.error(entry.value, f"`{entry.key.text}` is out of range: it must be at most {high:,}.")


def _leads_out(folder: str) -> bool:
    """Whether this path certainly leads out of the workspace folder; links are looked at when a tool runs."""
    path = PurePosixPath(folder)
    return path.is_absolute() or ".." in path.parts
