"""Agents that invoke each other in a circle without a depth of their own."""

from collections.abc import Collection, Mapping

from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.name_checks import named_items
from runtime.domain.yaml_node import MappingNode, ScalarNode, child


def check_circles(root: MappingNode, known: Known, findings: Findings) -> None:
    """A warning for each listed agent that leads back to this one, naming the way."""
    own, limits = root.get("name"), root.get("limits")
    if not isinstance(own, ScalarNode) or (limits is not None and child(limits, "max_depth") is not None):
        return
    for name in named_items(root.get("agents")):
        way = _way(name.text, own.text, known.invocations)
        if way:
            shown = " → ".join((own.text, *way))
            sentence = (
                f"These agents invoke each other in a circle: {shown}. Set `limits: {{max_depth: …}}` or remove one."
            )
            findings.warning(name, sentence)


def _way(start: str, goal: str, invocations: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """The shortest way from one agent to another, both named; empty if there is none."""
    ways: list[tuple[str, ...]] = [(start,)]
    seen = {start}
    while ways:
        way = ways.pop(0)
        if way[-1] == goal:
            return way
        for name in sorted(set(invocations.get(way[-1], ())) - seen):
            seen.add(name)
            ways.append((*way, name))
    return ()
