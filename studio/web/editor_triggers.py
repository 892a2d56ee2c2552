"""The triggers section of the form: the entries under `triggers`, and what is known of each that acts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runtime.domain.agent_file import AgentFile
from runtime.domain.file_edit import edit
from runtime.domain.text_lines import TextLines
from runtime.domain.trigger_definition import Trigger as TriggerDefinition
from runtime.domain.yaml_node import MappingNode, SequenceNode, child
from studio.models import Agent, Trigger
from studio.queries.triggers import ICONS, address_of, next_times
from studio.web.editor_form import Control, Field, field_at, lines_of, parsed

OVERLAP = (("", "Is left out"), ("queue", "Waits for it"))
CONTROLS: Mapping[str, tuple[Control, ...]] = {
    "webhook": (
        Control("name", "Name", "exact", "A part of its address.", "order-events"),
        Control("secret", "Secret", "exact", "The name of a stored secret; the sender signs with it.", "ORDERS_HOOK"),
        Control(
            "dedupe", "Told apart by", "exact", "A place in what is sent. The same value comes once.", "body.event_id"
        ),
        Control("session_by", "One session for each", "exact", "Empty: each has its own.", "body.customer_id"),
        Control("user_by", "Person", "exact", "Whose memory it may use: a name or an e-mail address.", "body.user"),
        Control("urgent", "Breaks in", "switch"),
    ),
    "schedule": (
        Control("cron", "Times", "exact", "Minute, hour, day, month, weekday.", "0 9 * * 1-5"),
        Control("timezone", "Time zone", "exact", shown="UTC"),
        Control("input", "What it asks", "area", rows=2),
        Control("overlap", "While the last one is worked on", "choice", choices=OVERLAP),
    ),
    "folder": (
        Control("path", "Folder", "exact", "In the studio's workspaces.", "inbox"),
        Control("pattern", "Files", "exact", shown="*"),
    ),
    "feed": (
        Control("url", "Address", "exact", shown="https://news.example/rss"),
        Control("every", "Looked at every", "exact", shown="15m"),
    ),
}
FRESH: Mapping[str, Mapping[str, object]] = {
    "webhook": {"name": "events", "secret": "NAME_OF_A_SECRET"},
    "schedule": {"cron": "0 9 * * 1-5", "timezone": "UTC", "input": "Daily report"},
    "folder": {"path": "inbox", "pattern": "*"},
    "feed": {"url": "https://news.example/rss", "every": "15m"},
}
CHOICES = (
    ("webhook", "Webhook", "Another system sends what happened."),
    ("schedule", "Schedule", "At certain times, such as every morning."),
    ("folder", "Watched folder", "A new file in a folder of the workspace."),
    ("feed", "Feed", "A new entry of an RSS or Atom feed."),
)


@dataclass(frozen=True, slots=True)
class TriggerRow:
    """One trigger of the text. `acting` is the published one that it is; None = it acts once it is published."""

    index: int
    kind: str
    name: str
    icon: str
    fields: Sequence[Field]
    lines: tuple[int, int] | None
    acting: Trigger | None
    address: str
    next_times: Sequence[str]


@dataclass(frozen=True, slots=True)
class TriggerChoice:
    """A kind of trigger that can be added."""

    kind: str
    title: str
    about: str
    icon: str


TRIGGER_CHOICES = tuple(TriggerChoice(kind, title, about, ICONS[kind]) for kind, title, about in CHOICES)


def trigger_rows(agent: Agent, file: AgentFile) -> list[TriggerRow]:
    """A row for each entry that the form can show."""
    acting = {(row.kind, row.name): row for row in Trigger.objects.listed().filter(agent=agent)} if agent.pk else {}
    defined = file.definition.triggers if file.definition else ()
    return [
        _row(file, index, kind, acting.get(_key(defined, index)))
        for index, item in enumerate(_items(file))
        if (kind := _kind(item))
    ]


def with_trigger(text: str, file: AgentFile, kind: str) -> str:
    """The text with one more trigger, to be filled in. Raises EditRefused."""
    if kind not in FRESH:
        return text
    items, entry = _items(file), {kind: FRESH[kind]}
    return edit(text, ["triggers", str(len(items))], entry) if items else edit(text, "triggers", [entry])


def without_trigger(text: str, file: AgentFile, index: int) -> str:
    """The text without the entry. Raises EditRefused."""
    is_last = len(_items(file)) == 1 and index == 0
    return edit(text, "triggers" if is_last else ["triggers", str(index)], None)


def with_trigger_setting(text: str, file: AgentFile, index: int, *, key: str, typed: str) -> str:
    """The text with one setting of one trigger. Raises EditRefused, NotANumber."""
    items = _items(file)
    kind = _kind(items[index]) if index < len(items) else ""
    control = next((control for control in CONTROLS.get(kind, ()) if control.path == key), None)
    if control is None:
        return text
    if typed.replace("\r\n", "\n") == _field(file, index, kind, control).value:
        return text
    return edit(text, ["triggers", str(index), kind, key], parsed(control, typed))


def _row(file: AgentFile, index: int, kind: str, acting: Trigger | None) -> TriggerRow:
    item = _items(file)[index]
    fields = [_field(file, index, kind, control) for control in CONTROLS[kind]]
    return TriggerRow(
        index,
        kind,
        acting.name if acting else fields[0].value,
        ICONS[kind],
        fields,
        lines_of(item, TextLines(file.text)),
        acting,
        address_of(acting) if acting else "",
        next_times(acting) if acting else (),
    )


def _field(file: AgentFile, index: int, kind: str, control: Control) -> Field:
    settings = child(_items(file)[index], kind)
    return field_at(
        control,
        file,
        node=child(settings, control.path) if settings else None,
        path=f"triggers.{index}.{kind}.{control.path}",
        posted=f"trigger:{index}:{control.path}",
        key=f"t{index}-{control.path}",
    )


def _key(defined: Sequence[TriggerDefinition], index: int) -> tuple[str, str]:
    return (defined[index].kind, defined[index].name) if index < len(defined) else ("", "")


def _items(file: AgentFile) -> tuple[MappingNode, ...]:
    node = file.document.get("triggers") if file.document else None
    items = node.items if isinstance(node, SequenceNode) else ()
    return items if all(isinstance(item, MappingNode) for item in items) else ()  # type: ignore[return-value]  # just checked


def _kind(item: MappingNode) -> str:
    found = [entry for entry in item.entries if entry.key.text in CONTROLS and isinstance(entry.value, MappingNode)]
    return found[0].key.text if len(found) == len(item.entries) == 1 else ""
