"""A payload of every event type, with everything that it must have."""

from runtime.domain.events import TYPES, Payload

_FIELDS = {
    "call_id": "3.0", "tool": "pay", "content": "<b>words</b>", "agent": "tutor", "agent_version": 2, "model": "m",
    "seen": 1, "prompt_sha256": "0" * 64, "trigger": "carrier.update", "verdict": "skip", "owner": "u_mia",
    "timer_id": "t_1", "due_at": 1, "why": "error", "what": "max_steps", "limit": 25, "error": "Overloaded",
    "task": "look", "child_rollout": "r_2", "to_rollout": "r_2", "reason": "unsure", "from_seq": 2, "to_seq": 9,
    "summary_seq": 10,
}  # fmt: skip
_OF_TYPE = {"rollout.resumed": {"reason": "retry"}, "approval.request": {"why": "unknown_outcome"}}


def built(type_: str) -> Payload:
    """A payload of that type."""
    cls, known = TYPES[type_], _FIELDS | _OF_TYPE.get(type_, {})
    return cls(
        **{name: known[name] for name, field in cls.model_fields.items() if field.is_required() or name in known}
    )
