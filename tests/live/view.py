"""A reader as amp.md wants one: what it has been sent, put together, and checked as it comes."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Open:
    """The half-made answer as this reader shows it."""

    step: int
    attempt: int
    blocks: dict[int, tuple[str, str]] = field(default_factory=dict)

    @property
    def output(self) -> str:
        return "".join(text for _, (kind, text) in sorted(self.blocks.items()) if kind == "output")


@dataclass(slots=True)
class View:
    """Survives cuts: `pos` is the cursor with which it comes back, half-made texts it forgets."""

    pos: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)
    open: dict[str, Open] = field(default_factory=dict)
    deltas: int = 0
    joined_in_mid_answer: int = 0

    def cut(self) -> None:
        """The connection is gone, and with it what was not recorded."""
        self.open.clear()

    def take(self, frame: dict[str, Any]) -> None:
        match frame["event"]:
            case "event":
                self._event(frame["id"], frame["data"])
            case "snapshot":
                self._snapshot(frame["data"])
            case "delta":
                self._delta(frame["data"])
            case "reset":
                raise AssertionError(f"reset: {frame['data']}")

    def _event(self, pos: int, data: dict[str, Any]) -> None:
        assert (pos, data["pos"]) == (self.pos + 1, self.pos + 1), "every event once, in order"
        self.pos = pos
        self.events.append(data)
        shown = self.open.get(data["rollout"])
        match data.get("type"):
            case "agent.output" if shown is not None and shown.step == data["step"]:
                assert data["payload"]["content"].startswith(shown.output), "what was shown is what was recorded"
            case "step.completed" | "step.aborted":
                self.open.pop(data["rollout"], None)

    def _snapshot(self, data: dict[str, Any]) -> None:
        self.open.pop(data["rollout"], None)
        if data["open"] is not None:
            blocks = {block["block"]: (block["kind"], block["text"]) for block in data["open"]["blocks"]}
            self.open[data["rollout"]] = Open(data["open"]["step"], data["open"]["attempt"], blocks)
            self.joined_in_mid_answer += bool(blocks)

    def _delta(self, data: dict[str, Any]) -> None:
        shown = self.open.get(data["rollout"])
        if shown is None or (shown.step, shown.attempt) != (data["step"], data["attempt"]):
            shown = self.open[data["rollout"]] = Open(data["step"], data["attempt"])
        kind, text = shown.blocks.get(data["block"], (data["kind"], ""))
        assert data["offset"] == len(text), "no hole in a text, and nothing twice"
        shown.blocks[data["block"]] = (kind, text + data["text"])
        self.deltas += 1
