"""The detail pane of the trajectory page: one node, as overview, prompt, answer, changes or raw JSON."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from studio.queries.rollouts import ENDED
from studio.queries.trajectory import Envelope, Kind, Node, node_of
from studio.web.event_words import words_of
from studio.web.trajectory_facts import Attempt, Fact, attempts_of, facts_of
from studio.web.trajectory_page import TrajectoryPage

STEP_TABS = (
    ("overview", "Overview"),
    ("prompt", "Prompt"),
    ("answer", "Answer"),
    ("changes", "Changes"),
    ("json", "Raw JSON"),
)
EVENT_TABS = (("overview", "Overview"), ("json", "Raw JSON"))


@dataclass(frozen=True, slots=True)
class Block:
    """A text in full, under its title. `value`: shown as JSON instead."""

    title: str
    text: str = ""
    value: Any = None
    is_json: bool = False


@dataclass(frozen=True, slots=True)
class Detail:
    node: Node
    seq: int
    step: int | None
    icon: str
    name: str
    title: str
    category: str
    tab: str
    tabs: Sequence[tuple[str, str]]
    facts: Sequence[Fact] = ()
    blocks: Sequence[Block] = ()
    attempts: Sequence[Attempt] = ()
    question: str = ""
    question_words: str = ""
    raw: Sequence[Envelope] = field(default_factory=tuple)


def detail_of(page: TrajectoryPage, seq: int, tab: str) -> Detail | None:
    """What the pane shows for the event; None if there is no such event."""
    node = node_of(page.tree, seq)
    if node is None:
        return None
    event = next(event for event in node.events if event["seq"] == seq)
    step = event.get("step")
    tabs = STEP_TABS if step is not None else EVENT_TABS
    chosen = tab if any(key == tab for key, _ in tabs) else "overview"
    words = words_of(node.head)
    is_step = node.kind is Kind.STEP
    return Detail(
        node=node,
        seq=seq,
        step=step,
        icon="sparkles" if is_step else words.icon,
        name="Model call" if is_step else words.name,
        title=f"llm_{step}" if is_step else words.title,
        category="thinking" if is_step else node.head.get("category", "hidden"),
        tab=chosen,
        tabs=tabs,
        facts=facts_of(page, node, event),
        blocks=_blocks(node),
        attempts=attempts_of(node),
        question=_open_question(page, node),
        question_words=_question_words(node),
        raw=node.events,
    )


def _question_words(node: Node) -> str:
    asked = node.last("approval.request")
    if asked is None or asked["payload"].get("why") == "unknown_outcome":
        return "Nobody knows whether this call took effect."
    return "Nothing of this call has been done yet."


def _open_question(page: TrajectoryPage, node: Node) -> str:
    """The id of the question about the call that nobody has answered yet; empty if there is none."""
    asked = node.all("approval.request")
    if not asked or page.rollout.lifecycle in ENDED:
        return ""
    since = [event["payload"] for event in node.all("approval.decision") if event["seq"] > asked[-1]["seq"]]
    approvals = sum(decision.get("verdict") == "approve" for decision in since)
    is_decided = approvals < len(since) or approvals >= asked[-1]["payload"].get("needed", 1)
    if is_decided or any(result["seq"] > asked[-1]["seq"] for result in node.all("tool.result")):
        return ""
    return f"a_{page.rollout.public_id.removeprefix('r_')}_{asked[-1]['seq']}"


def answer_of(page: TrajectoryPage, step: int) -> list[Block]:
    """What the model answered in that step: its thoughts, its words and its calls."""
    node = next((n for n in page.tree if n.kind is Kind.STEP and n.head["step"] == step), None)
    blocks = [block for child in node.children for block in _answer_part(child)] if node is not None else []
    return blocks


def raw_json(events: Sequence[Envelope]) -> str:
    return "\n".join(json.dumps(event, ensure_ascii=False, indent=2) for event in events)


def _answer_part(child: Node) -> list[Block]:
    event = child.head
    if event.get("hidden"):
        return [Block("Hidden", f"Event {event['seq']} is not shown to you.")]
    payload = event["payload"]
    match event["type"]:
        case "agent.thought":
            return [Block("Thought", str(payload.get("content", "")))]
        case "agent.output":
            title = "Reply, cut off here" if payload.get("interrupted") else "Reply"
            return [Block(title, str(payload.get("content", "")))]
        case "tool.request":
            return [_arguments(f"Call {payload.get('call_id')}: {payload.get('tool')}", payload)]
        case _:
            return [Block(words_of(event).name, value=payload, is_json=True)]


def _blocks(node: Node) -> list[Block]:
    """The texts of the node, whole."""
    if node.kind is Kind.HIDDEN or node.kind is Kind.STEP:
        return []
    payload = node.head["payload"]
    blocks = []
    if node.kind is Kind.CALL:
        blocks.append(_task(payload) if payload.get("child_rollout") else _arguments("Arguments", payload))
        blocks += [_content("Answer", answer["payload"]) for answer in node.all("agent.input")]
        for result in node.all("tool.result"):
            blocks.append(_content("Late result" if result["payload"].get("late") else "Result", result["payload"]))
        return blocks
    texts = (
        ("content", "Text"),
        ("error", "Error"),
        ("question", "Question"),
        ("reason", "Reason"),
        ("result", "What the agent was told"),
        ("previous_answer", "Answer before this rollout"),
    )
    return [Block(title, str(payload[key])) for key, title in texts if payload.get(key)]


def _task(payload: Any) -> Block:
    return Block("Task", str(payload["task"]) if "task" in payload else "Not shown to your role.")


def _arguments(title: str, payload: Any) -> Block:
    if "args" not in payload:
        return Block(title, "Not shown to your role.")
    if payload["args"] is None:
        return Block(f"{title}, not valid JSON", str(payload.get("args_raw", "")))
    return Block(title, value=payload["args"], is_json=True)


def _content(title: str, payload: Any) -> Block:
    if "content" not in payload:
        return Block(title, "Not shown to your role.")
    text = str(payload["content"])
    try:
        value = json.loads(text)
    except ValueError:
        return Block(title, text or "Nothing.")
    return Block(title, value=value, is_json=True) if isinstance(value, dict | list) else Block(title, text)
