"""Edits of the states of an agent file: a state, a move or a variable more or less, or called otherwise."""

import re
from collections.abc import Sequence
from typing import Any

from runtime.domain.agent_file import AgentFile
from runtime.domain.file_edit import EditRefused, edit
from runtime.domain.file_rename import rename_state, rename_variable
from runtime.domain.yaml_node import MappingNode, Node, SequenceNode, child, plain_value
from studio.web.editor_form import UNSHOWABLE

OWN_KEYS = frozenset({"initial", "enforce", "variables"})
FIRST = {"initial": "open", "open": {"transitions": [{"to": "done", "when": "it is done"}]}, "done": {"final": True}}
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


class NotAName(ValueError):
    """A state or a variable cannot be called so."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"{self.name[:60]!r} cannot be a name here. Use letters, digits and _, such as waiting_for_approval."


def state_names(machine: MappingNode) -> list[str]:
    """The names of the states, in the order of the text."""
    return [name for name in machine.names() if name not in OWN_KEYS and not name.startswith("x-")]


def with_states(text: str) -> str:
    """The text with two states to begin with. Raises EditRefused."""
    return edit(text, "states", FIRST)


def with_state(text: str, file: AgentFile, name: str) -> str:
    """The text with one more state. Raises EditRefused, NotAName."""
    name = _checked(name)
    _check_free("state", name, _machine(file))
    return edit(text, ["states", name, "description"], "Say what it means to be here.")


def with_variable(text: str, file: AgentFile, name: str) -> str:
    """The text with one more variable, a text at first. Raises EditRefused, NotAName."""
    name = _checked(name)
    _check_free("variable", name, under(_machine(file), "variables"))
    return edit(text, ["states", "variables", name, "type"], "string")


def with_name(text: str, kind: str, old: str, typed: str) -> str:
    """The text with a state ("rename_state") or a variable called otherwise, wherever it is meant.

    Raises EditRefused, NotAName.
    """
    new = typed.strip()
    if new in ("", old, UNSHOWABLE.sub("\ufffd", old)):
        return text
    rename = rename_state if kind == "rename_state" else rename_variable
    return rename(text, old, _checked(new))


def with_move(text: str, file: AgentFile, state: str, to: str = "") -> str:
    """The text with one more move out of a state, to the next one if it is not said where. Raises EditRefused."""
    machine = _machine(file)
    names = state_names(machine) if machine else []
    if machine is None or state not in names or (to and to not in names):
        return text
    to = to or names[(names.index(state) + 1) % len(names)]
    moves = moves_of(machine.get(state))
    if not moves:
        return edit(text, ["states", state, "transitions"], [{"to": to}])
    return edit(text, ["states", state, "transitions", str(len(moves))], {"to": to})


def has_place(file: AgentFile, path: Sequence[str]) -> bool:
    """Whether the state or the variable that a path leads into is there; another field of the states always is."""
    match path:
        case ["states", "variables", name, *_]:
            return under(under(_machine(file), "variables"), name) is not None
        case ["states", name, _, *_]:
            return under(_machine(file), name) is not None
        case _:
            return True


def without_part(text: str, file: AgentFile, steps: Sequence[str]) -> str:
    """The text without a field, a move, a variable or a state; a state in which nothing is left stays.

    `steps` begin below `states`. Raises EditRefused.
    """
    size = 2 if steps[0] == "variables" else 1
    owner = ["states", *steps[:size]]
    node: Node | None = file.document
    for step in owner:
        node = under(node, step)
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


def _checked(typed: str) -> str:
    """The name, with _ for the spaces in it."""
    name = "_".join(typed.split())
    if not NAME.fullmatch(name) or name in OWN_KEYS:
        raise NotAName(name)
    return name


def _check_free(what: str, name: str, owner: Node | None) -> None:
    if under(owner, name) is not None:
        raise EditRefused(f"There is a {what} `{name[:60]}` already. Choose another name.")


def _machine(file: AgentFile) -> MappingNode | None:
    machine = file.document.get("states") if file.document else None
    return machine if isinstance(machine, MappingNode) else None


def moves_of(state: Node | None) -> tuple[Node, ...]:
    """The moves out of a state, as the text has them."""
    moves = under(state, "transitions")
    return moves.items if isinstance(moves, SequenceNode) else ()


def under(node: Node | None, key: str) -> Node | None:
    """What stands at a key, or None."""
    return child(node, key) if node is not None else None
