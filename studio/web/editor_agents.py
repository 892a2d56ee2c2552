"""The sub-agents section of the form: the entries under `agents`, and those that could be added."""

from dataclasses import dataclass
from typing import Any

from runtime.domain.agent_file import AgentFile
from runtime.domain.file_edit import edit
from runtime.domain.text_lines import TextLines
from runtime.domain.yaml_node import MappingNode, Node, ScalarNode, SequenceNode, child, plain_value
from studio.models import Agent, Project
from studio.web.editor_form import Control, Field, field_at, lines_of, number

SHOWN = (("", "The task only"), ("summary", "A summary"), ("last", "The last messages"), ("full", "Everything"))
CONTROLS = (
    Control("context", "What it is shown", "choice", choices=SHOWN, explicit="none"),
    Control("last", "How many", "number", shown="4"),
    Control("variables", "Variables", "list", shown="none"),
    Control("memory", "Memory keys", "list", shown="none"),
    Control(
        "mode",
        "The caller",
        "choice",
        choices=(("", "Waits for it"), ("background", "Goes on meanwhile")),
        explicit="wait",
    ),
)
FEW = 4


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One agent that this one may call. `problem_fields` are its fields."""

    index: int
    name: str
    fields: list[Field]
    lines: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class AgentChoice:
    """An agent that could be added."""

    name: str
    about: str


def agent_rows(file: AgentFile) -> list[AgentRow]:
    """A row for each entry that names an agent."""
    lines = TextLines(file.text)
    return [
        AgentRow(index, name, [_field(file, index, item, control) for control in CONTROLS], lines_of(item, lines))
        for index, item in enumerate(_items(file))
        if (name := _name(item))
    ]


def agent_choices(project: Project, itself: str, rows: list[AgentRow]) -> list[AgentChoice]:
    """The other agents of the project that no row names."""
    taken = {row.name for row in rows} | {itself}
    found = Agent.objects.filter(project=project).open().order_by("name").values_list("name", "title")
    return [AgentChoice(name, title if title != name else "") for name, title in found if name not in taken]


def with_agent(text: str, file: AgentFile, name: str) -> str:
    """The text with one more agent. Raises EditRefused."""
    items = _items(file)
    return edit(text, ["agents", str(len(items))], name) if items else edit(text, "agents", [name])


def without_agent(text: str, index: int) -> str:
    """The text without the entry. Raises EditRefused."""
    return edit(text, ["agents", str(index)], None)


def with_agent_setting(text: str, file: AgentFile, index: int, *, key: str, typed: str) -> str:
    """The text with one setting of one agent. Raises EditRefused, NotANumber."""
    items = _items(file)
    if index >= len(items) or key not in {control.path for control in CONTROLS}:
        return text
    item = plain_value(items[index])
    entry: dict[str, Any] = {"name": item} if isinstance(item, str) else dict(item)
    if key == "mode":
        entry["mode"] = typed or None
    else:
        entry["context"] = _context(entry.get("context"), key, typed)
    entry = {name: value for name, value in entry.items() if value is not None}
    return edit(text, ["agents", str(index)], entry["name"] if list(entry) == ["name"] else entry)


def _context(now: Any, key: str, typed: str) -> object:
    context = dict(now) if isinstance(now, dict) else {"kind": now} if now else {}
    if "last" in context:
        context["kind"] = "last"
    words = [word.strip() for word in typed.split(",") if word.strip()]
    match key:
        case "context":
            context["kind"], context["last"] = typed, context.get("last", FEW) if typed == "last" else None
        case "last":
            context["last"] = number("How many", typed) if typed.strip() else FEW
        case _:
            context[key] = words or None
    context = {name: value for name, value in context.items() if value}
    if context.get("kind") in ("last", "none"):
        del context["kind"]
    return context["kind"] if list(context) == ["kind"] else context or None


def _field(file: AgentFile, index: int, item: Node, control: Control) -> Field:
    context = child(item, "context")
    node = context if control.path != "mode" else child(item, "mode")
    is_last = isinstance(context, MappingNode) and context.get("last") is not None
    if isinstance(context, MappingNode):
        key = "kind" if control.path == "context" else control.path
        node = child(item, "mode") if control.path == "mode" else context.get(key)
    elif control.path not in ("context", "mode"):
        node = None
    path = f"agents.{index}.mode" if control.path == "mode" else f"agents.{index}"
    field = field_at(
        control,
        file,
        node=node,
        path=path if control.path in ("context", "mode") else f"agents.{index}.context.{control.path}",
        posted=f"agent:{index}:{control.path}",
        key=f"a{index}-{control.path}",
        hidden=control.path == "last" and not is_last,
    )
    return _as_last(field) if control.path == "context" and is_last else field


def _as_last(field: Field) -> Field:
    return Field(field.control, "last", field.problem, field.lines, posted=field.posted, key=field.key)


def _items(file: AgentFile) -> tuple[Node, ...]:
    node = file.document.get("agents") if file.document else None
    return node.items if isinstance(node, SequenceNode) else ()


def _name(item: Node) -> str:
    node = item if isinstance(item, ScalarNode) else child(item, "name")
    return node.text if isinstance(node, ScalarNode) else ""
