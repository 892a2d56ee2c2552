"""The form beside the YAML: what its sections show, read from the text, and how what is typed goes back into it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from runtime.domain.agent_file import AgentFile
from runtime.domain.canonical import canonical
from runtime.domain.findings import Findings
from runtime.domain.problem import Problem, Severity
from runtime.domain.text_lines import TextLines
from runtime.domain.yaml_node import MappingNode, Node, child, plain_value
from runtime.domain.yaml_text import read_yaml

type Kind = Literal["text", "exact", "area", "number", "decimal", "list", "switch", "choice", "model", "pairs"]


@dataclass(frozen=True, slots=True)
class Control:
    """What the form knows of a field before it has a value. `shown` is what stands in an empty control.

    `explicit`: the value that means the same as the first choice, when it is written out.
    """

    path: str
    label: str
    kind: Kind = "text"
    help: str = ""
    shown: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    rows: int = 1
    explicit: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """A control with the value that stands in the text, the problem about it, and the lines that it stands in.

    `posted` and `key` name it in the form and on the page where its path does not. `is_hidden`: it says nothing now.
    """

    control: Control
    value: str
    problem: Problem | None
    lines: tuple[int, int] | None
    is_readable: bool = True
    posted: str = ""
    key: str = ""
    is_hidden: bool = False

    @property
    def name(self) -> str:
        return self.posted or f"field:{self.control.path}"

    @property
    def id(self) -> str:
        return "f-" + (self.key or self.control.path).replace(".", "-").replace("_", "-")

    @property
    def is_other(self) -> bool:
        """Whether the value is none of the choices, so that it has to be shown as one more."""
        return self.value not in {value for value, _ in self.control.choices}

    @property
    def other_word(self) -> str:
        """The word for a value that is none of the choices."""
        control = self.control
        return control.choices[0][1] if control.choices and self.value == control.explicit else self.value


UNSHOWABLE = re.compile("[\x00\ud800-\udfff]")
OWN = "the model's own"
EFFORTS = (
    ("", "The model's own"),
    *((word, word.capitalize()) for word in ("none", "minimal", "low", "medium", "high")),
)
NAMESPACES = (("", "All agents share them"), ("agent", "This agent's alone"))
ON_STOP = (("", "Say where it stands"), ("wait", "Wait in silence"))

SECTIONS: dict[str, tuple[Control, ...]] = {
    "identity": (
        Control("name", "Name", "exact", "a-z, 0-9 and dashes. Others call it by this; it changes when you publish."),
        Control("title", "Title", help="What people see instead of the name.", shown="as the name"),
        Control("description", "Description", "area", rows=2),
        Control("tags", "Tags", "list", "With commas between them.", shown="support, money"),
    ),
    "instructions": (
        Control("system_prompt", "System prompt", "area", rows=7),
        Control(
            "user_prompt_template",
            "Prompt template",
            "area",
            "Added as the last message of every step. Can be left empty.",
            rows=3,
        ),
    ),
    "model": (
        Control("model", "Model", "model"),
        Control("fallback_models", "If it fails, use", "list", "Tried in this order.", shown="none"),
        Control("model_settings.temperature", "Temperature", "decimal", shown=OWN),
        Control("model_settings.max_tokens", "Longest answer", "number", "In tokens.", shown=OWN),
        Control("model_settings.reasoning_effort", "Thinking", "choice", choices=EFFORTS),
    ),
    "memory": (
        Control("memory.tools", "What it may do itself", "list", "remember, recall, search_memory, forget", "nothing"),
        Control("memory.inject", "Put into every prompt", "list", "Keys such as orders.*, or * for all.", "nothing"),
        Control("memory.capture", "Kept after each turn", "list", "Keys the model is asked about then.", "nothing"),
        Control("memory.namespace", "Whose notes", "choice", choices=NAMESPACES),
        Control("memory.max_inject_tokens", "Room in the prompt", "number", "In tokens.", "1000"),
    ),
    "limits": (
        Control("limits.max_steps", "Model calls in a turn", "number", shown="25"),
        Control("limits.max_tool_calls", "Tool calls in a turn", "number", shown="10"),
        Control("limits.max_concurrent_tools", "Tools at the same time", "number", shown="4"),
        Control("limits.max_depth", "Agents below one another", "number", shown="4"),
        Control("limits.max_children", "Agents that one may call", "number", shown="8"),
        Control(
            "limits.budget.tokens",
            "Tokens, with its agents",
            "number",
            "It pauses before it would use more.",
            "no limit",
        ),
        Control(
            "limits.budget.usd",
            "US dollars, with its agents",
            "decimal",
            "It pauses before it would spend more.",
            "no limit",
        ),
        Control("interrupts.on_stop", "After Stop", "choice", choices=ON_STOP, explicit="respond"),
        Control("interrupts.send_now", "People may interrupt with a message", "switch"),
        Control("show_thoughts", "People see what it thinks", "switch"),
    ),
}
CONTROLS = {control.path: control for controls in SECTIONS.values() for control in controls}
_ON_BY_DEFAULT = frozenset({"interrupts.send_now"})


class NotANumber(ValueError):
    """Something else than a number was typed where a number belongs."""

    def __init__(self, label: str) -> None:
        self.label = label

    def __str__(self) -> str:
        return f"{self.label}: write a number, or leave it empty."


class NotPairs(ValueError):
    """Something else than names with values was typed where these belong."""

    def __init__(self, label: str) -> None:
        self.label = label

    def __str__(self) -> str:
        return f"{self.label}: write names with values, such as `opened_at: now, tries: 0`, or leave it empty."


def parsed(control: Control, typed: str) -> object:
    """The value that goes into the text; None removes the field. Raises NotANumber, NotPairs."""
    if not typed.strip():
        return None
    match control.kind:
        case "number" | "decimal":
            return number(control.label, typed)
        case "list":
            return [word.strip() for word in typed.split(",") if word.strip()] or None
        case "switch":
            is_on = typed == "true"
            return None if is_on == (control.path in _ON_BY_DEFAULT) else is_on
        case "area":
            return typed.replace("\r\n", "\n")
        case "choice" if typed in ("true", "false"):
            return typed == "true"
        case "pairs":
            return pairs(control.label, typed)
        case _:
            return typed.strip()


def pairs(label: str, typed: str) -> dict[str, object]:
    """Names with values, as in `opened_at: now, tries: 0`. Raises NotPairs."""
    read = read_yaml("{" + typed + "}")
    value = plain_value(read.root) if read.root is not None and not read.problems else None
    if not isinstance(value, dict):
        raise NotPairs(label)
    return value


def number(label: str, typed: str) -> int | float:
    """The number that was typed. Raises NotANumber."""
    try:
        return int(typed)
    except ValueError:
        pass
    try:
        found = float(typed)
    except ValueError:
        raise NotANumber(label) from None
    if found in (float("inf"), float("-inf")) or found != found:
        raise NotANumber(label)
    return found


def canonical_root(file: AgentFile) -> MappingNode | None:
    """The fields of the text under their own names; None where the text cannot be read as fields."""
    if file.document is None:
        return None
    return canonical(file.document, Findings(TextLines(file.text)))


def field_at(
    control: Control,
    file: AgentFile,
    *,
    node: Node | None,
    path: str,
    posted: str = "",
    key: str = "",
    hidden: bool = False,
) -> Field:
    """The field of a control that is no part of a fixed section; `path` is where problems about it are looked for."""
    value = plain_value(node) if node is not None else None
    return Field(
        control=control,
        value=shown(control, value),
        problem=problem_at(file.problems, path),
        lines=lines_of(node, TextLines(file.text)),
        is_readable=control.kind == "pairs" or not isinstance(value, Mapping),
        posted=posted,
        key=key,
        is_hidden=hidden,
    )


def fields(file: AgentFile, root: MappingNode) -> dict[str, list[Field]]:
    """The fields of each section as they stand in the text."""
    lines = TextLines(file.text)
    return {
        section: [_field(control, root, file.problems, lines) for control in controls]
        for section, controls in SECTIONS.items()
    }


def node_at(root: Node, path: Sequence[str]) -> Node | None:
    """What stands at a path, or None."""
    node: Node | None = root
    for step in path:
        node = child(node, step) if node is not None else None
    return node


def lines_of(node: Node | None, lines: TextLines) -> tuple[int, int] | None:
    """The first and the last line that a node stands in."""
    if node is None:
        return None
    text = lines.text[node.start : node.end].rstrip()
    return lines.place(node.start)[0], lines.place(node.start + max(0, len(text) - 1))[0]


def problem_at(problems: Sequence[Problem], path: str) -> Problem | None:
    """The first problem about the field or something inside it; hints do not count."""
    for problem in problems:
        if problem.severity is not Severity.HINT and (problem.path == path or problem.path.startswith(path + ".")):
            return problem
    return None


def _field(control: Control, root: MappingNode, problems: Sequence[Problem], lines: TextLines) -> Field:
    node = node_at(root, control.path.split("."))
    value = plain_value(node) if node is not None else None
    path = ".".join(node.path) if node is not None else control.path
    return Field(
        control=control,
        value=shown(control, value),
        problem=problem_at(problems, path),
        lines=lines_of(node, lines),
        is_readable=not isinstance(value, Mapping),
    )


def shown(control: Control, value: Any) -> str:
    """A value as the control shows it; what no page can hold (JSON may escape it) is shown as U+FFFD."""
    return UNSHOWABLE.sub("\ufffd", _words(control, value))


def _words(control: Control, value: Any) -> str:
    match value:
        case None:
            return ("true" if control.path in _ON_BY_DEFAULT else "") if control.kind == "switch" else ""
        case bool():
            return "true" if value else "false"
        case list():
            return ", ".join(item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in value)
        case dict() if control.kind == "pairs":
            return ", ".join(f"{name}: {_pair_word(one)}" for name, one in value.items())
        case dict():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)


def _pair_word(value: Any) -> str:
    is_plain = (
        isinstance(value, str) and re.fullmatch(r"[A-Za-z_][\w. -]*", value) and value not in ("true", "false", "null")
    )
    return value if is_plain else json.dumps(value, ensure_ascii=False)
