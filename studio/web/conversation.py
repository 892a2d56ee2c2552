"""A trajectory as a conversation: what people said, one message for each step of an agent, and lines between them.

Works on envelopes as `shown_to` gives them, so that nothing is shown here that the viewer may not see.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.queries.viewer import Viewer
from studio.web.conversation_lines import line_of
from studio.web.step_message import step_message

type Envelope = Mapping[str, Any]

OF_A_STEP = frozenset(
    [
        "step.started",
        "step.completed",
        "step.aborted",
        "agent.thought",
        "agent.output",
        "agent.invocation",
        "tool.request",
        "tool.started",
        "tool.result",
        "approval.request",
        "approval.decision",
    ]
)
OF_CHILDREN = frozenset(
    ("user.input", "user.interrupt", "supervisor.instruction", "agent.escalation", "limit.reached", "rollout.failed")
)
"""What is shown of an agent that another one called, beside what it says to people and asks them."""
MESSAGES = frozenset(("user.input", "user.interrupt", "agent.input"))


@dataclass(frozen=True, slots=True)
class Item:
    """One element of the conversation: `id` is the element's, `part` its template, `shown` what that is given."""

    id: str
    part: str
    shown: Any


def conversation(envelopes: Iterable[Envelope], viewer: Viewer, children: Collection[str] = frozenset()) -> list[Item]:
    """The items in order. A step stands where its last attempt began: it answers what came before that.

    Of the rollouts of `children`, which other agents called, only what concerns people is an item.
    """
    steps: dict[str, list[Envelope]] = {}
    order: dict[str, Item | None] = {}
    for event in envelopes:
        id_ = item_id(event)
        if id_ is None:
            continue
        if is_of_a_step(event):
            if event["type"] == "step.started":
                order.pop(id_, None)
            steps.setdefault(id_, []).append(event)
            order.setdefault(id_, None)
        if not is_of_a_step(event) or _is_restart(event):
            line = line_item(event, viewer, is_child=event["rollout"] in children)
            if line is not None:
                order[line.id] = line
    found = (
        item or step_item(id_, steps[id_], is_child=steps[id_][0]["rollout"] in children) for id_, item in order.items()
    )
    return [item for item in found if item is not None]


def item_id(event: Envelope) -> str | None:
    """The element that the event belongs to: `step-ROLLOUT-N` or `said-ROLLOUT-SEQ`; None if it is in none."""
    if event.get("hidden"):
        return None
    if not is_of_a_step(event):
        return f"said-{event['rollout']}-{event['seq']}"
    step = step_of(event)
    return None if step is None else f"step-{event['rollout']}-{step}"


def is_of_a_step(event: Envelope) -> bool:
    """Whether it is shown in the message of a step; so is another agent's answer to a call."""
    if event["type"] == "agent.input":
        return bool(event["payload"].get("call_id"))
    return event["type"] in OF_A_STEP


def step_of(event: Envelope) -> int | None:
    """The step that the event belongs to; a decision says it through its call."""
    if not is_of_a_step(event):
        return None
    call = str(event["payload"].get("call_id", "")).partition(".")[0]
    return int(call) if call.isdecimal() else event["step"]


def line_item(event: Envelope, viewer: Viewer, *, is_child: bool = False) -> Item | None:
    """A message of a person, or a line for something that happened; None if there is nothing to say."""
    if is_child and event["type"] not in OF_CHILDREN:
        return None
    id_ = f"said-{event['rollout']}-{event['seq']}"
    if (
        event["type"] in MESSAGES
        and (event["payload"].get("content", "").strip() or event["payload"].get("files"))
        and not event["payload"].get("call_id")
    ):
        is_own = event["source"] == viewer.user
        return Item(id_, "playground/_said.html", {"event": event, "own": is_own, "line": line_of(event)})
    line = line_of(event)
    return (
        None
        if line is None
        else Item(id_, "playground/_line.html", {"event": event, "line": line, "may_answer": viewer.supervises})
    )


def step_item(id_: str, envelopes: Sequence[Envelope], *, is_child: bool = False) -> Item | None:
    """The message of one step; None if nothing of it is to be seen."""
    message = step_message(envelopes)
    if message is None or (is_child and not message.keep_for_people()):
        return None
    return Item(id_, "playground/_step.html", message)


def _is_restart(event: Envelope) -> bool:
    return event["type"] == "step.aborted" and event["payload"].get("why") == "restart"
