"""The state machine of an agent file: states that cannot be reached or left, and names that lead nowhere."""

from collections.abc import Iterator

from runtime.domain.findings import Findings
from runtime.domain.spelling import did_you_mean
from runtime.domain.yaml_node import Entry, MappingNode, Node, ScalarNode, SequenceNode, child


def check_states(root: MappingNode, findings: Findings) -> None:
    """Errors for states that do not exist, warnings for unreachable ones, dead ends and tools no state allows."""
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
            findings.error(target, f"There is no state `{target.text[:60]}`.{did_you_mean(target.text, targets)}")
    names = {name: {target.text for target in found} for name, found in targets.items()}
    if isinstance(initial, ScalarNode) and initial.text in names and not findings.is_wrong(machine.path):
        _check_ways(states, initial.text, names, findings)
    _check_tools(root, states, findings)


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


def _check_tools(root: MappingNode, states: MappingNode, findings: Findings) -> None:
    lists = [child(entry.value, "tools") for entry in states.entries]
    if not lists or any(not isinstance(allowed, SequenceNode) for allowed in lists):
        return
    allowed = {item.text for node in lists if isinstance(node, SequenceNode) for item in _texts(node)}
    tools = root.get("tools")
    for item in tools.items if isinstance(tools, SequenceNode) else ():
        name = child(item, "name")
        if isinstance(name, ScalarNode) and name.text not in allowed:
            findings.warning(name, f"No state allows the tool `{name.text[:60]}`. Add it to a state, or remove it.")


def _targets(state: Node) -> Iterator[ScalarNode]:
    transitions = child(state, "transitions")
    for transition in transitions.items if isinstance(transitions, SequenceNode) else ():
        yield from _text(child(transition, "to"))
    max_stay = child(state, "max_stay")
    yield from _text(child(max_stay, "to") if max_stay else None)


def _texts(node: SequenceNode) -> Iterator[ScalarNode]:
    for item in node.items:
        yield from _text(item)


def _text(node: Node | None) -> Iterator[ScalarNode]:
    if isinstance(node, ScalarNode) and isinstance(node.value, str):
        yield node


def _is_final(entry: Entry) -> bool:
    final = child(entry.value, "final")
    return isinstance(final, ScalarNode) and final.value is True
