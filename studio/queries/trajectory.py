"""A trajectory as people read it: what belongs together folded into one node. Made of envelopes as `shown_to` gives
them, so that nothing stands in it that the viewer may not see.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Envelope = Mapping[str, Any]

_OF_CALL = frozenset({"tool.started", "tool.result", "approval.request", "approval.decision", "agent.input"})
_CALLS = frozenset({"tool.request", "agent.invocation"})
_OF_STEP = frozenset({"step.completed", "step.aborted"})


class Kind(StrEnum):
    """What a node is: one model call with what came out of it, one call of a tool or of an agent, or a single event."""

    STEP = "step"
    CALL = "call"
    EVENT = "event"
    HIDDEN = "hidden"


@dataclass(slots=True)
class Node:
    """`events`: the event that made the node, then those folded into it. Only steps have children."""

    kind: Kind
    events: list[Envelope]
    children: list["Node"] = field(default_factory=list)

    @property
    def seq(self) -> int:
        return int(self.events[0]["seq"])

    @property
    def covers(self) -> list[int]:
        """The seqs that this node stands for, without its children."""
        return [int(event["seq"]) for event in self.events]

    @property
    def last_seq(self) -> int:
        """The newest seq in it or under it."""
        return max([*self.covers, *(child.last_seq for child in self.children)])

    @property
    def head(self) -> Envelope:
        return self.events[0]

    def all(self, type_: str) -> list[Envelope]:
        """Its own events of that type."""
        return [event for event in self.events if event.get("type") == type_]

    def last(self, type_: str) -> Envelope | None:
        found = self.all(type_)
        return found[-1] if found else None

    def walk(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            yield from child.walk()


def tree_of(envelopes: Iterable[Envelope]) -> list[Node]:
    """The nodes at the top, by the seq of the event that made them; steps hold what came out of them."""
    tree = _Tree()
    for envelope in envelopes:
        tree.add(envelope)
    return tree.top


def log_of(envelopes: Iterable[Envelope]) -> list[Node]:
    """Every event as a node of its own, in order."""
    return [Node(Kind.HIDDEN if event.get("hidden") else Kind.EVENT, [event]) for event in envelopes]


def node_of(nodes: Iterable[Node], seq: int) -> Node | None:
    """The node that stands for the event, wherever it is in the tree."""
    for node in nodes:
        if node.seq <= seq <= node.last_seq:
            for each in node.walk():
                if seq in each.covers:
                    return each
    return None


class _Tree:
    """Grows by one event at a time."""

    def __init__(self) -> None:
        self.top: list[Node] = []
        self._steps: dict[int, Node] = {}
        self._calls: dict[str, Node] = {}
        self._speaking: Node | None = None

    def add(self, event: Envelope) -> None:
        if event.get("hidden"):
            self._place(Node(Kind.HIDDEN, [event]), self._speaking)
            return
        type_, step = event["type"], event["step"]
        call = self._calls.get(event["payload"].get("call_id", "")) if type_ in _OF_CALL else None
        if call is not None:
            call.events.append(event)
        elif type_ == "step.started":
            self._speaking = self._step(event)
        elif type_ in _OF_STEP and step in self._steps:
            self._steps[step].events.append(event)
            self._speaking = None
        elif type_ in _CALLS:
            call = Node(Kind.CALL, [event])
            self._calls[event["payload"]["call_id"]] = call
            self._place(call, self._steps.get(step))
        else:
            self._place(Node(Kind.EVENT, [event]), self._steps.get(step))

    def _step(self, event: Envelope) -> Node:
        """The node of the step; an attempt after the first joins the one there is."""
        node = self._steps.get(event["step"])
        if node is not None:
            node.events.append(event)
            return node
        node = self._steps[event["step"]] = Node(Kind.STEP, [event])
        self.top.append(node)
        return node

    def _place(self, node: Node, parent: Node | None) -> None:
        (self.top if parent is None else parent.children).append(node)
