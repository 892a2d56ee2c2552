"""The parts of a state machine in an agent file, as nodes that know their place."""

from collections.abc import Iterator

from runtime.domain.yaml_node import Entry, MappingNode, Node, ScalarNode, SequenceNode, child


def variables_of(root: MappingNode) -> MappingNode | None:
    """The declared variables."""
    machine = root.get("states")
    variables = child(machine, "variables") if machine else None
    return variables if isinstance(variables, MappingNode) else None


def states_of(root: MappingNode) -> tuple[Entry, ...]:
    """The states, each with its name."""
    machine = root.get("states")
    states = child(machine, "states") if machine else None
    return states.entries if isinstance(states, MappingNode) else ()


def transitions_of(state: Node) -> Iterator[MappingNode]:
    """The transitions of one state."""
    transitions = child(state, "transitions")
    for transition in transitions.items if isinstance(transitions, SequenceNode) else ():
        if isinstance(transition, MappingNode):
            yield transition


def assignments_of(transition: MappingNode) -> tuple[Entry, ...]:
    """What a transition sets."""
    found = transition.get("set")
    return found.entries if isinstance(found, MappingNode) else ()


def variable_names(root: MappingNode) -> frozenset[str]:
    """The variables that are declared, and those that some transition sets."""
    declared = variables_of(root)
    names = set(declared.names() if declared else ())
    for state in states_of(root):
        for transition in transitions_of(state.value):
            names |= {entry.key.text for entry in assignments_of(transition)}
    return frozenset(names)


def text_of(node: Node | None) -> ScalarNode | None:
    """The node if it is a text."""
    return node if isinstance(node, ScalarNode) and isinstance(node.value, str) else None
