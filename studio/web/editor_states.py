"""The states section of the form: the switch, variables, states with their moves, and the diagram of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from runtime.domain.agent_file import AgentFile
from runtime.domain.file_edit import edit
from runtime.domain.text_lines import TextLines
from runtime.domain.yaml_node import MappingNode, Node, ScalarNode, SequenceNode, child, plain_value
from studio.web.editor_form import Control, Field, field_at, lines_of
from studio.web.state_diagram import Diagram, Way, diagram

OWN_KEYS = frozenset({"initial", "enforce", "variables"})
TYPES = tuple((word, word) for word in ("string", "number", "integer", "boolean", "array", "object"))
ENFORCE = Control(
    "states.enforce",
    "Moves that are not listed",
    "choice",
    "Enforced: a move not listed is refused, and the agent is told why.",
    choices=(("true", "are refused (Enforced)"), ("false", "are recorded (Advice)")),
)
FIRST = {"initial": "open", "open": {"transitions": [{"to": "done", "when": "it is done"}]}, "done": {"final": True}}
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class VariableRow:
    """One variable of the business state."""

    name: str
    fields: list[Field]


@dataclass(frozen=True, slots=True)
class MoveRow:
    """One move out of a state: to and when, then what guards it."""

    index: int
    fields: list[Field]
    more: list[Field]


@dataclass(frozen=True, slots=True)
class StateRow:
    """One state with its fields and its moves."""

    index: int
    name: str
    kind: str
    fields: list[Field]
    moves: list[MoveRow]
    lines: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class StatesForm:
    """The whole section of a file that has states."""

    machine: list[Field]
    variables: list[VariableRow]
    states: list[StateRow]
    diagram: Diagram


def states_form(file: AgentFile) -> StatesForm | None:
    """The states as the text has them; None where it has none."""
    node = file.document.get("states") if file.document else None
    if not isinstance(node, MappingNode):
        return None
    names = state_names(node)
    states = [_state(file, node, name, index, names) for index, name in enumerate(names)]
    variables = child(node, "variables")
    variable_names = variables.names() if isinstance(variables, MappingNode) else ()
    return StatesForm(
        machine=[
            _field(
                file,
                node,
                ("initial",),
                Control("states.initial", "Starts in", "choice", choices=_choices(names)),
                "s-initial",
            ),
            _enforce(file, node),
        ],
        variables=[_variable(file, node, name, index) for index, name in enumerate(variable_names)],
        states=states,
        diagram=diagram(
            names,
            [Way(*way) for way in ways_of(node)],
            initial=_text(child(node, "initial")),
            final=[state.name for state in states if state.kind == "end"],
        ),
    )


def state_names(machine: MappingNode) -> list[str]:
    """The names of the states, in the order of the text."""
    return [name for name in machine.names() if name not in OWN_KEYS and not name.startswith("x-")]


def ways_of(machine: MappingNode) -> list[tuple[str, str, str]]:
    """Every move of the text: from, to, when. What has no target yet is left out."""
    found = []
    for name in state_names(machine):
        for move in _moves(machine.get(name)):
            if to := _text(child(move, "to")):
                found.append((name, to, _text(child(move, "when"))))
        stay = _under(machine.get(name), "max_stay")
        if to := _text(_under(stay, "to")):
            found.append((name, to, f"after {_text(_under(stay, 'after'))}"))
    return found


def state_control(path: str) -> Control | None:
    """The control of a field of the states, by its path in the text; None for another path."""
    match path.split("."):
        case ["states", "enforce"]:
            return ENFORCE
        case ["states", "initial"]:
            return Control(path, "Starts in")
        case ["states", "variables", _, ("type" | "default" | "description") as key]:
            return Control(path, key.capitalize())
        case ["states", _, ("description" | "instructions" | "tools" | "final") as key]:
            kind = {"tools": "list", "final": "switch", "instructions": "area"}.get(key, "text")
            return Control(path, key.capitalize(), kind)  # type: ignore[arg-type]  # the four kinds above are Kinds
        case ["states", _, "max_stay", ("after" | "to") as key]:
            return Control(path, "Longest stay" if key == "after" else "Then go to")
        case ["states", _, "transitions", index, ("to" | "when" | "guard" | "approval") as key] if index.isdecimal():
            return Control(path, key.capitalize())
        case ["states", _, "transitions", index, "set"] if index.isdecimal():
            return Control(path, "Sets", "pairs")
        case _:
            return None


def with_states(text: str) -> str:
    """The text with two states to begin with. Raises EditRefused."""
    return edit(text, "states", FIRST)


def with_state(text: str, name: str) -> str:
    """The text with one more state. Raises EditRefused, NotAName."""
    return edit(text, ["states", _checked(name), "description"], "Say what it means to be here.")


def with_variable(text: str, name: str) -> str:
    """The text with one more variable, a text at first. Raises EditRefused, NotAName."""
    return edit(text, ["states", "variables", _checked(name), "type"], "string")


def with_move(text: str, file: AgentFile, state: str) -> str:
    """The text with one more move out of a state, to the next one. Raises EditRefused."""
    machine = file.document.get("states") if file.document else None
    if not isinstance(machine, MappingNode) or state not in machine.names():
        return text
    names = state_names(machine)
    to = names[(names.index(state) + 1) % len(names)]
    moves = _moves(machine.get(state))
    if not moves:
        return edit(text, ["states", state, "transitions"], [{"to": to}])
    return edit(text, ["states", state, "transitions", str(len(moves))], {"to": to})


def without_part(text: str, file: AgentFile, steps: Sequence[str]) -> str:
    """The text without a field, a move, a variable or a state; a state in which nothing is left stays.

    `steps` begin below `states`. Raises EditRefused.
    """
    size = 2 if steps[0] == "variables" else 1
    owner = ["states", *steps[:size]]
    node: Node | None = file.document
    for step in owner:
        node = _under(node, step)
    if node is None or len(steps) <= size:
        return edit(text, owner, None)
    return edit(text, owner, _without(plain_value(node), list(steps[size:])) or {})


def _without(value: Any, steps: list[str]) -> Any:
    """The value without what stands there, and without what is then empty."""
    step, rest = steps[0], steps[1:]
    if isinstance(value, list):
        at = int(step) if step.isdecimal() else len(value)
        kept = [_without(one, rest) if number == at and rest else one for number, one in enumerate(value)]
        return [one for number, one in enumerate(kept) if number != at or (rest and one)]
    if not isinstance(value, dict) or step not in value:
        return value
    left = _without(value[step], rest) if rest else None
    return {key: left if key == step else one for key, one in value.items() if key != step or left}


class NotAName(ValueError):
    """A state or a variable cannot be called so."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"{self.name[:60]!r} cannot be a name here. Use letters, digits and _, such as waiting_for_approval."


def _checked(name: str) -> str:
    name = name.strip()
    if not NAME.fullmatch(name) or name in OWN_KEYS:
        raise NotAName(name)
    return name


def _state(file: AgentFile, machine: MappingNode, name: str, index: int, names: list[str]) -> StateRow:
    node, choices = machine.get(name), _choices(names)
    is_final = getattr(_under(node, "final"), "value", False) is True
    tools = _under(node, "tools")
    allowed = "none" if isinstance(tools, SequenceNode) and not tools.items else "all"
    fields = [
        ("description", Control("description", "What it means")),
        ("instructions", Control("instructions", "Extra instructions", "area", rows=2)),
        ("tools", Control("tools", "Tools it may use here", "list", "With commas between them.", allowed)),
        ("max_stay.after", Control("after", "Longest stay", shown="no limit")),
        ("max_stay.to", Control("to", "Then go to", "choice", choices=(("", "nowhere"), *choices))),
        ("final", Control("final", "The work ends here", "switch")),
    ]
    return StateRow(
        index=index,
        name=name,
        kind="end" if is_final else "start" if name == _text(child(machine, "initial")) else "",
        fields=[
            _field(file, machine, (name, *path.split(".")), control, f"s{index}-{path}") for path, control in fields
        ],
        moves=[_move(file, machine, name, at, (index, choices)) for at in range(len(_moves(node)))],
        lines=lines_of(node, TextLines(file.text)),
    )


def _move(
    file: AgentFile, machine: MappingNode, state: str, at: int, place: tuple[int, tuple[tuple[str, str], ...]]
) -> MoveRow:
    index, choices = place
    controls = [
        Control("when", "When", shown="always"),
        Control("to", "Go to", "choice", choices=choices),
        Control("guard", "Only if", "exact", "A condition over vars, args and result.", 'vars.order_id != ""'),
        Control("approval", "Ask a person first", "exact", "always, or a condition.", "never"),
        Control("set", "Sets", "pairs", "Names with values; = begins a formula.", "opened_at: now"),
    ]
    made = [
        _field(file, machine, (state, "transitions", str(at), c.path), c, f"s{index}-m{at}-{c.path}") for c in controls
    ]
    return MoveRow(at, made[:2], made[2:])


def _variable(file: AgentFile, machine: MappingNode, name: str, index: int) -> VariableRow:
    controls = [
        Control("type", "Kind", "choice", choices=TYPES),
        Control("default", "At the start", shown="nothing"),
        Control("description", "What it is"),
    ]
    return VariableRow(
        name, [_field(file, machine, ("variables", name, c.path), c, f"v{index}-{c.path}") for c in controls]
    )


def _field(file: AgentFile, machine: MappingNode, steps: tuple[str, ...], control: Control, key: str) -> Field:
    node: Node | None = machine
    for step in steps:
        node = _under(node, step)
    path = ".".join(("states", *steps))
    return field_at(control, file, node=node, path=path, posted=f"field:{path}", key=key)


def _enforce(file: AgentFile, machine: MappingNode) -> Field:
    field = _field(file, machine, ("enforce",), ENFORCE, "s-enforce")
    return field if field.value else replace(field, value="true")


def _choices(names: list[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, name) for name in names)


def _moves(state: Node | None) -> tuple[Node, ...]:
    moves = _under(state, "transitions")
    return moves.items if isinstance(moves, SequenceNode) else ()


def _under(node: Node | None, key: str) -> Node | None:
    return child(node, key) if node is not None else None


def _text(node: Node | None) -> str:
    return str(plain_value(node)) if isinstance(node, ScalarNode) and node.value is not None else ""
