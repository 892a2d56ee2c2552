"""The state machine of an agent file: states that cannot be reached or left, and names that lead nowhere."""

from collections.abc import Iterator

from runtime.domain.findings import Findings
from runtime.domain.problem import Fix
from runtime.domain.spelling import did_you_mean, nearest
from runtime.domain.yaml_node import Entry, MappingNode, Node, ScalarNode, SequenceNode, child
from runtime.domain.yaml_write import scalar_text


def check_states(root: MappingNode, findings: Findings) -> None:
    """Errors for states that do not exist, warnings for unreachable ones, dead ends and ways out of final ones."""
    machine = root.get("states")
    states = child(machine, "states") if machine else None
    if not isinstance(machine, MappingNode) or not isinstance(states, MappingNode):
        return
    targets = {entry.key.text: list(_targets(entry.value)) for entry in states.entries}
    initial = machine.get("initial")
    for target in (
        *([initial] if isinstance(initial, ScalarNode) else []),
        *(t for ts in targets.values() for t in ts),
    ):
        if target.text not in targets:
            meant = nearest(target.text, targets)
            fix = Fix(f"Change to {meant}", target.start, target.end, scalar_text(meant, flow=True)) if meant else None
            sentence = f"There is no state `{target.text[:60]}`.{did_you_mean(target.text, targets)}"
            findings.error(target, sentence, fix)
    names = {name: {target.text for target in found} for name, found in targets.items()}
    if isinstance(initial, ScalarNode) and initial.text in names and not findings.is_wrong(machine.path):
        _check_ways(states, initial.text, names, findings)
    _check_finals(states, findings)


def _check_ways(states: MappingNode, initial: str, targets: dict[str, set[str]], findings: Findings) -> None:
    reached, waiting = {initial}, [initial]
    while waiting:
        new = targets.get(waiting.pop(), set()) - reached
        reached |= new
        waiting.extend(new)
    for entry in states.entries:
        name = entry.key.text
        if name not in reached:
            findings.warning(
                entry.key, f"No transition leads to the state `{name[:60]}`. Add one, or remove the state."
            )
        elif not targets[name] and not _is_final(entry):
            sentence = f"Nothing leads out of the state `{name[:60]}`. Add a transition, or mark it `final: true`."
            findings.warning(entry.key, sentence)


def _check_finals(states: MappingNode, findings: Findings) -> None:
    for entry in states.entries:
        way = child(entry.value, "transitions") or child(entry.value, "max_stay")
        if _is_final(entry) and way is not None:
            sentence = f"Nothing leads out of `{entry.key.text[:60]}`, which is final. Remove this, or `final`."
            findings.warning(way, sentence)


def _targets(state: Node) -> Iterator[ScalarNode]:
    transitions = child(state, "transitions")
    for transition in transitions.items if isinstance(transitions, SequenceNode) else ():
        yield from _text(child(transition, "to"))
    max_stay = child(state, "max_stay")
    yield from _text(child(max_stay, "to") if max_stay else None)


def _text(node: Node | None) -> Iterator[ScalarNode]:
    if isinstance(node, ScalarNode) and isinstance(node.value, str):
        yield node


def _is_final(entry: Entry) -> bool:
    final = child(entry.value, "final")
    return isinstance(final, ScalarNode) and final.value is True
