"""The states section of the form: the switch, variables, states with their moves, and the diagram of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from runtime.domain.agent_file import AgentFile
from runtime.domain.spelling import nearest
from runtime.domain.text_lines import TextLines
from runtime.domain.yaml_node import MappingNode, Node, ScalarNode, SequenceNode, child, plain_value
from studio.web.editor_form import UNSHOWABLE, Control, Field, field_at, lines_of
from studio.web.state_diagram import Diagram, Way, diagram
from studio.web.state_edits import moves_of, state_names, under

TYPES = (
    ("string", "text"),
    ("number", "number"),
    ("integer", "whole number"),
    ("boolean", "yes or no"),
    ("array", "list"),
    ("object", "names with values"),
)
ENFORCE = Control(
    "states.enforce",
    "Moves that are not listed",
    "choice",
    "Enforced: a move not listed is refused, and the agent is told why.",
    choices=(("true", "are refused (Enforced)"), ("false", "are recorded (Advice)")),
)


@dataclass(frozen=True, slots=True)
class VariableRow:
    """One variable of the business state."""

    name: str
    fields: list[Field]


@dataclass(frozen=True, slots=True)
class MissingState:
    """A state that moves lead to and that is not there; `meant` is the one with the nearest name, or empty."""

    name: str
    meant: str


@dataclass(frozen=True, slots=True)
class MoveRow:
    """One move out of a state: to and when, then what guards it. `missing`: it leads to a state that is not there."""

    index: int
    fields: list[Field]
    more: list[Field]
    missing: MissingState | None


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
    missing: list[MissingState]
    diagram: Diagram


def states_form(file: AgentFile, counts: Mapping[str, int] | None = None) -> StatesForm | None:
    """The states as the text has them; None where it has none. `counts`: how many rollouts are in each now."""
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
        missing=_missing(node, names),
        diagram=diagram(
            names,
            ways_of(node),
            initial=_text(child(node, "initial")),
            final=[state.name for state in states if state.kind == "end"],
            counts=counts,
        ),
    )


def ways_of(machine: MappingNode) -> list[Way]:
    """Every move of the text. What has no target yet is left out."""
    found = []
    for name in state_names(machine):
        for index, move in enumerate(moves_of(machine.get(name))):
            if to := _text(child(move, "to")):
                found.append(Way(name, to, _text(child(move, "when")), f"transitions:{index}"))
        stay = under(machine.get(name), "max_stay")
        if to := _text(under(stay, "to")):
            found.append(Way(name, to, f"after {_text(under(stay, 'after'))}", "max_stay"))
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


def _missing(machine: MappingNode, names: list[str]) -> list[MissingState]:
    targets = [_text(child(machine, "initial")), *(way.to for way in ways_of(machine))]
    found = (_missing_state(target, names) for target in dict.fromkeys(targets))
    return [one for one in found if one is not None]


def _missing_state(target: str, names: list[str]) -> MissingState | None:
    return MissingState(target, nearest(target, names) or "") if target and target not in names else None


def _state(file: AgentFile, machine: MappingNode, name: str, index: int, names: list[str]) -> StateRow:
    node, choices = machine.get(name), _choices(names)
    is_final = getattr(under(node, "final"), "value", False) is True
    tools = under(node, "tools")
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
            _name(file, machine, name, f"rename_state:{name}", f"s{index}-name"),
            *(_field(file, machine, (name, *path.split(".")), control, f"s{index}-{path}") for path, control in fields),
        ],
        moves=[_move(file, machine, name, at, index, names) for at in range(len(moves_of(node)))],
        lines=lines_of(node, TextLines(file.text)),
    )


def _move(file: AgentFile, machine: MappingNode, state: str, at: int, index: int, names: list[str]) -> MoveRow:
    controls = [
        Control("when", "When", shown="always"),
        Control("to", "Go to", "choice", choices=_choices(names)),
        Control(
            "guard",
            "Only if",
            "exact",
            "Such as vars.amount > 50. vars are the variables below.",
            'vars.order_id != ""',
        ),
        Control("approval", "Ask a person first", "exact", "always, or a condition.", "never"),
        Control("set", "Sets", "pairs", "Names with values; = begins a formula.", "opened_at: now"),
    ]
    made = [
        _field(file, machine, (state, "transitions", str(at), c.path), c, f"s{index}-m{at}-{c.path}") for c in controls
    ]
    return MoveRow(at, made[:2], made[2:], _missing_state(made[1].value, names))


def _variable(file: AgentFile, machine: MappingNode, name: str, index: int) -> VariableRow:
    controls = [
        Control("type", "Kind", "choice", choices=TYPES),
        Control("default", "At the start", shown="nothing"),
        Control("description", "What it is"),
    ]
    fields = [_field(file, machine, ("variables", name, c.path), c, f"v{index}-{c.path}") for c in controls]
    variables = child(machine, "variables")
    assert isinstance(variables, MappingNode)
    return VariableRow(name, [_name(file, variables, name, f"rename_variable:{name}", f"v{index}-name"), *fields])


def _name(file: AgentFile, owner: MappingNode, name: str, posted: str, key: str) -> Field:
    """The name itself; it changes wherever the file means it."""
    entry = owner.entry(name)
    control = Control("name", "Name", "exact", "Changes wherever it is used.")
    lines = lines_of(entry.key, TextLines(file.text)) if entry else None
    return Field(control, UNSHOWABLE.sub("\ufffd", name), None, lines, posted=posted, key=key)


def _field(file: AgentFile, machine: MappingNode, steps: tuple[str, ...], control: Control, key: str) -> Field:
    node: Node | None = machine
    for step in steps:
        node = under(node, step)
    path = ".".join(("states", *steps))
    return field_at(control, file, node=node, path=path, posted=f"field:{path}", key=key)


def _enforce(file: AgentFile, machine: MappingNode) -> Field:
    field = _field(file, machine, ("enforce",), ENFORCE, "s-enforce")
    return field if field.value else replace(field, value="true")


def _choices(names: list[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, name) for name in names)


def _text(node: Node | None) -> str:
    return str(plain_value(node)) if isinstance(node, ScalarNode) and node.value is not None else ""
