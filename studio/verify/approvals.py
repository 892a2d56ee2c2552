"""Promise 7: what needs leave does not begin before everybody who is needed has given it, for these very arguments."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from runtime.domain.arguments import args_sha256
from studio.verify.finding import Finding
from studio.verify.stored import StoredEvent, StoredRollout


@dataclass(slots=True)
class _Question:
    """Leave that is asked for. `sha256` is that of the arguments as they were edited last."""

    tool: str
    sha256: str
    needed: int
    forbidden: str
    approved_by: set[str] = field(default_factory=set)
    is_released: bool = False

    def decide(self, event: StoredEvent) -> None:
        edited, sha256 = event.get("edited_args"), event.get("args_sha256", "")
        if self.is_released or event.get("verdict") != "approve" or event.source == self.forbidden:
            return
        if edited is None and sha256 not in ("", self.sha256):
            return
        if edited is not None:
            self.approved_by, self.sha256 = set(), args_sha256(self.tool, edited)
        self.approved_by.add(event.source)
        self.is_released = len(self.approved_by) >= self.needed


def check_approvals(rollout: StoredRollout) -> Iterator[Finding]:
    """Goes by the questions and decisions that are recorded."""
    questions: dict[str, _Question] = {}
    for event in rollout.events:
        question = questions.get(event.call_id)
        match event.type:
            case "approval.request" if event.get("why") in ("policy", "plan", "taint") and question is None:
                sha256 = event.get("args_sha256", "")
                forbidden = event.get("requested_by", "")
                questions[event.call_id] = _Question(event.get("tool", ""), sha256, event.get("needed", 1), forbidden)
            case "approval.decision" if question is not None:
                question.decide(event)
            case "tool.started" | "tool.result" if question is not None and not question.is_released:
                if event.type == "tool.started" or event.get("status", "ok") == "ok":
                    where = f"rollout {rollout.public_id} event {event.seq}"
                    yield Finding("approvals", where, f"call {event.call_id} ({question.tool}) runs without leave")
                    return
