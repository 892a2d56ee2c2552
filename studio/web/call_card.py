"""One call of a step as a card: of a tool, or of another agent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.web.decision_card import Decision

type Envelope = Mapping[str, Any]

ENDINGS: dict[str, tuple[str, str]] = {
    "ok": ("done", "ok"),
    "error": ("failed", "bad"),
    "denied": ("denied", "bad"),
    "cancelled": ("stopped", "irq"),
    "timed_out": ("timed out", "bad"),
    "unknown": ("outcome unknown", "warn"),
    "limit": ("limit reached", "warn"),
}
"""How a call ended: the word on its badge, and the badge's tone."""


@dataclass(slots=True)
class CallCard:
    """One call. `args` and `result` are empty for who may not see them. `instead`: the fallback that ran for it."""

    id: str
    rollout: str
    tool: str
    mode: str
    args: str = ""
    given: str = ""
    attempt: int = 0
    status: str = ""
    result: str = ""
    kept: int = 0
    ms: int = 0
    is_late: bool = False
    since: str = ""
    instead: str = ""
    undone: str = ""
    session: str = ""
    decisions: list[Decision] = field(default_factory=list)

    @property
    def key(self) -> str:
        return f"call-{self.rollout}-{self.id.replace('.', '-')}"

    @property
    def asked(self) -> Decision | None:
        """The question that is open."""
        return next((item for item in self.decisions if not item.verdict), None)

    @property
    def word(self) -> str:
        if self.asked is not None:
            return (
                f"{len(self.asked.approved_by)} of {self.asked.needed} approved"
                if self.asked.is_half
                else "needs a decision"
            )
        if self.undone:
            return "undone"
        if self.status:
            return ENDINGS[self.status][0]
        if self.attempt > 1:
            return f"try {self.attempt}"
        if self.attempt:
            return "running" if self.mode == "sync" else "running on the side"
        return {"approve": "approved", "deny": "denied"}.get(
            self.decisions[-1].verdict if self.decisions else "", "starting"
        )

    @property
    def tone(self) -> str:
        if self.asked is not None or (self.attempt > 1 and not self.status):
            return "warn"
        if self.undone:
            return "irq"
        return ENDINGS[self.status][1] if self.status else "accent" if self.attempt else ""

    @property
    def is_running(self) -> bool:
        return bool(self.attempt) and not self.status and self.asked is None

    @property
    def may_be_stopped(self) -> bool:
        """Whether it runs beside the conversation, so that a Stop of the turn does not reach it."""
        return self.mode == "async" and not self.status

    @property
    def seconds(self) -> float | None:
        return self.ms / 1000 if self.status and self.status != "limit" else None

    @property
    def is_done(self) -> bool:
        """Ended well and nothing is asked: it may be folded away."""
        return self.status == "ok" and not self.decisions and not self.instead

    @property
    def has_body(self) -> bool:
        return bool(self.args or self.result or self.kept)


@dataclass(slots=True)
class Done:
    """Two or more calls in a row that ended well, folded into one line."""

    calls: list[CallCard]

    @property
    def key(self) -> str:
        return f"done-{self.calls[0].key}"

    @property
    def names(self) -> str:
        return ", ".join(call.tool for call in self.calls)

    @property
    def seconds(self) -> float:
        return sum(call.ms for call in self.calls) / 1000


@dataclass(slots=True)
class AgentCard:
    """Another agent that was called. `task` and `answer` are empty for who may not see them."""

    id: str
    rollout: str
    agent: str
    child: str
    mode: str
    task: str = ""
    answer: str = ""
    status: str = ""
    is_over: bool = False
    since: str = ""
    until: str = ""

    @property
    def key(self) -> str:
        return f"call-{self.rollout}-{self.id.replace('.', '-')}"

    @property
    def word(self) -> str:
        if not self.is_over:
            return "working" if self.mode == "sync" else "working on the side"
        return "answered" if self.status == "ok" else ENDINGS.get(self.status, ("ended", ""))[0]

    @property
    def tone(self) -> str:
        return ENDINGS.get(self.status, ("", ""))[1] if self.is_over else "accent"


def agent_card(event: Envelope) -> AgentCard:
    """The card of an `agent.invocation`; one that was refused at once is over."""
    payload = event["payload"]
    refused = payload.get("status", "ok") != "ok"
    return AgentCard(
        payload["call_id"],
        event["rollout"],
        payload["agent"],
        payload["child_rollout"],
        payload["mode"],
        task=payload.get("task", ""),
        answer=payload.get("result", "") if refused else "",
        status=payload.get("status", "") if refused else "",
        is_over=refused,
        since=event["at"],
    )
