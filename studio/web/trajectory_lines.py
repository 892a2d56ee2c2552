"""The lines of the trajectory page, before their rows are made: what stands under what, and what is folded away."""

from collections.abc import Iterable
from dataclasses import dataclass

from studio.queries.trajectory import Envelope, Kind, Node


@dataclass(frozen=True, slots=True)
class Line:
    """A place in the list, before its row is made. `open` and `parent` as in Row; `note`: what an interrupt cut off."""

    node: Node
    parent: int = 0
    open: bool | None = None
    is_folded: bool = False
    note: str = ""

    @property
    def seq(self) -> int:
        return self.node.seq


def lines_of(nodes: Iterable[Node], *, folds: bool) -> list[Line]:
    """The lines of a tree in order. `folds`: steps that only say something begin folded."""
    lines: list[Line] = []
    cut: Node | None = None
    for node in nodes:
        is_open = (not folds or _has_calls(node)) if node.children else None
        note = _cut_words(cut, node) if cut is not None and node.head.get("urgent") else ""
        lines.append(Line(node, open=is_open, note=note))
        cut = node if _is_cut(node) else None if note or node.kind is Kind.STEP else cut
        lines += [Line(child, parent=node.seq, is_folded=is_open is False) for child in node.children]
    return lines


def is_trouble(node: Node) -> bool:
    """An interrupt or an error: what N looks for."""
    return any(_is_bad(event) for event in node.events)


def _is_bad(event: Envelope) -> bool:
    match event.get("type"):
        case "rollout.failed":
            return True
        case "tool.result":
            return event["payload"].get("status") in ("error", "denied", "cancelled", "timed_out")
        case "step.aborted":
            return event["payload"].get("why") != "restart"
        case _:
            return event.get("category") == "interrupt"


def step_name(event: Envelope) -> str:
    return f"llm_{event['step']}"


def _has_calls(node: Node) -> bool:
    return any(child.kind is Kind.CALL for child in node.children)


def _is_cut(node: Node) -> bool:
    return node.events[-1].get("type") == "step.aborted" and node.events[-1]["payload"].get("why") == "urgent"


def _cut_words(cut: Node, interrupt: Node) -> str:
    """What the interrupt cut off, and how many queued events came with it."""
    queued = interrupt.seq - cut.events[-1]["seq"] - 1
    came = f", {queued} queued event{'s' if queued > 1 else ''} delivered with it" if queued > 0 else ""
    return f"cut off {step_name(cut.head)}{came}"
