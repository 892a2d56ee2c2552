"""Events in the words that the model reads, each marked for what it is."""

import re
from collections.abc import Mapping

from runtime.domain.arguments import canonical
from runtime.domain.artifact import HEAD_CHARACTERS
from runtime.domain.events import (
    START,
    AgentInput,
    AgentInterruptReceived,
    ExternalTrigger,
    FileRef,
    FormAnswer,
    ResultStatus,
    StateUpdate,
    SupervisorInstruction,
    TimerTrigger,
    ToolResult,
    UserInput,
    UserInterrupt,
)
from runtime.domain.trajectory import Event

_TAGS = re.compile(
    r"<(?=/?(?:message|interrupt|instruction|timer|trigger|late-result|notice|context)\b)", re.IGNORECASE
)


def marked(tag: str, attributes: Mapping[str, str], content: str) -> str:
    """Content inside a tag of ours; the same tags within the content lose their meaning."""
    head = "".join(f' {name}="{_attribute(value)}"' for name, value in attributes.items() if value)
    return f"<{tag}{head}>{_TAGS.sub('&lt;', content)}</{tag}>"


def _attribute(value: str) -> str:
    return " ".join(value.split()).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def words(event: Event, place: str = "") -> str:
    """One event as the model reads it. `place` is `2/3` for the second of three that came together."""
    match event.payload:
        case UserInput(form=FormAnswer(name=start, values=values)) as said if start == START:
            return marked("message", {"from": said.name, "n": place}, canonical(values))
        case UserInput() as said:
            content = said.content if said.form is None else f"{said.content}\n{canonical(said.form.values)}".strip()
            return "\n\n".join((marked("message", {"from": said.name, "n": place}, content), *map(_file, said.files)))
        case UserInterrupt(content=content, name=name) if content.strip():
            return marked("interrupt", {"from": name, "n": place}, content)
        case UserInterrupt(name=name):
            return marked(
                "interrupt",
                {"from": name, "n": place},
                "Stop. What you were doing was cut off there. If you answer now, say in a sentence or two what was "
                "done and what was not; do nothing else.",
            )
        case SupervisorInstruction(content=content, by=by):
            return marked("instruction", {"from": by, "n": place}, content)
        case AgentInput() as came:
            return marked("message", {"from": came.name, "n": place}, _from_agent(came))
        case AgentInterruptReceived(content=content, name=name):
            return marked("interrupt", {"from": name, "n": place}, content or "Stop.")
        case TimerTrigger(note=note, missed=missed):
            missed_words = f" It was due {missed} more times while nothing ran." if missed else ""
            return marked("timer", {"n": place}, f"{note}{missed_words}".strip() or "The timer went off.")
        case ExternalTrigger() as came:
            body = marked("trigger", {"name": came.trigger, "n": place}, _body(came))
            return f"{marked('instruction', {'from': 'your schedule'}, came.task)}\n{body}" if came.task else body
        case StateUpdate() as update:
            return marked("notice", {"about": "the business state", "n": place}, _moved(update))
        case ToolResult() as result:
            return marked("late-result", {"call": result.call_id, "status": result.status}, result.content)
        case _:
            return marked("notice", {"n": place}, event.type)


def _file(file: FileRef) -> str:
    """A file that came with a message: of a text what it begins with, of an image that it is there."""
    if file.is_image:
        return marked("notice", {"about": f"the image {file.name}"}, "It is shown with this message.")
    rest = "" if file.bytes <= HEAD_CHARACTERS else f'\n[It goes on: read_artifact, id "{file.id}".]'
    return marked("trigger", {"name": f"the file {file.name}"}, file.head + rest)


def _from_agent(came: AgentInput) -> str:
    """A task with what it is shown besides, an answer, or how a call ended that has no answer."""
    parts = [came.content if came.status is ResultStatus.OK else f"({came.status}) {came.content}"]
    if came.context:
        parts.append(f"What was said before:\n{came.context}")
    if came.vars:
        parts.append(f"Given: {canonical(came.vars)}")
    return "\n\n".join(parts)


def _body(came: ExternalTrigger) -> str:
    if came.artifact is not None:
        return str(came.body)
    return canonical(came.body) if came.body is not None else ""


def _moved(update: StateUpdate) -> str:
    who = update.by or "Somebody"
    move = f"from {update.from_state} to {update.to_state}" if update.to_state != update.from_state else "its variables"
    set_ = f" It set {canonical(update.set)}." if update.set else ""
    why = f" {update.reason.rstrip('.')}." if update.reason else ""
    return f"{who} changed the business state: {move}.{why}{set_}"
