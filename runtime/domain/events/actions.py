"""Category action: what the agent does."""

from enum import StrEnum
from typing import Any, ClassVar, Literal

from runtime.domain.events.base import Called, Category, Payload, Text


class Action(Payload):
    """Something that the agent does."""

    category: ClassVar[Category] = Category.ACTION


class CalledAction(Called):
    """A call of the model that is recorded as what it does."""

    category: ClassVar[Category] = Category.ACTION


class AgentOutput(CalledAction):
    """Text to people; `interrupted` if it was cut off.

    `to`: a participant's public id; empty = the people whose events opened the turn. `waits`: it is a question, and the
    call behind it stays open until that person answers. `form`: the JSON Schema of the answer that is asked for.
    `structured`: it is JSON that fits the agent's `output_schema`; `problem`: why it does not, so it was not taken.
    """

    type: Literal["agent.output"] = "agent.output"
    content: Text
    to: str = ""
    to_name: Text = ""
    interrupted: bool = False
    waits: bool = False
    form: dict[str, Any] | None = None
    structured: bool = False
    problem: Text = ""


class CallMode(StrEnum):
    """Whether the model waits for a call."""

    SYNC = "sync"
    ASYNC = "async"


class ToolRequest(Action):
    """A call of the model, with its arguments as given: `args` if they are a JSON object, else `args_raw`."""

    type: Literal["tool.request"] = "tool.request"
    call_id: str
    tool: Text
    args: dict[str, Any] | None = None
    args_raw: Text = ""
    mode: CallMode = CallMode.SYNC


class ApprovalWhy(StrEnum):
    """Why a person is asked."""

    POLICY = "policy"
    UNKNOWN_OUTCOME = "unknown_outcome"
    TRANSITION = "transition"
    LIMIT = "limit"
    PLAN = "plan"
    TAINT = "taint"


class ApprovalRequest(Action):
    """A question to a person about one call. `expires_at` in microseconds; 0 = never.

    `args_sha256` covers the tool and its canonical arguments. `approvers`: roles or people, none = whoever takes part.
    `needed`: how many different people must approve. `requested_by`: the person who must not approve it; empty = none.
    `then`: what happens when nobody decides in time. `to_state`: the state that a move needs leave for.
    `reason`: of a call that sends out after untrusted reading and private data (why: taint), what was read where.
    """

    type: Literal["approval.request"] = "approval.request"
    call_id: str
    args_sha256: str = ""
    why: ApprovalWhy
    tool: Text = ""
    approvers: tuple[str, ...] = ()
    needed: int = 1
    requested_by: str = ""
    expires_at: int = 0
    expires_after: int = 0
    then: Literal["deny", "escalate"] = "deny"
    escalated: bool = False
    to_state: Text = ""
    reason: Text = ""


class StateUpdate(CalledAction):
    """A move of the business state. `by`: who or what moved it when no call did; then `wakes_model` may be set."""

    is_immediate: ClassVar[bool] = True  # where it comes from a person

    type: Literal["state.update"] = "state.update"
    from_state: Text = ""
    to_state: Text = ""
    set: dict[str, Any] = {}
    reason: Text = ""
    accepted: bool = True
    error: Text = ""
    by: Text = ""
    wakes_model: bool = False


class AgentInvocation(CalledAction):
    """Another agent is called."""

    type: Literal["agent.invocation"] = "agent.invocation"
    agent: str
    agent_version: int
    task: Text
    context: Any = None
    child_rollout: str
    mode: CallMode = CallMode.SYNC


class AgentResponse(CalledAction):
    """The answer to the calling agent; `answers` is that agent's call."""

    type: Literal["agent.response"] = "agent.response"
    answers: str = ""
    to_rollout: str
    content: Text
    final: bool = True


class AgentMessage(CalledAction):
    """A message to another agent."""

    type: Literal["agent.message"] = "agent.message"
    to_rollout: str
    content: Text


class AgentInterrupt(CalledAction):
    """Another agent is interrupted."""

    type: Literal["agent.interrupt"] = "agent.interrupt"
    to_rollout: str
    content: Text = ""


class AgentEscalation(CalledAction):
    """A supervisor is asked. `deadline` in microseconds; 0 = none. `then`: what happens if nobody answers by then."""

    type: Literal["agent.escalation"] = "agent.escalation"
    reason: Text
    severity: Literal["low", "normal", "high", "critical"] = "normal"
    then: Literal["continue", "pause", "cancel"] = "continue"
    question: Text = ""
    deadline: int = 0


class TimerSet(CalledAction):
    """A timer is set, due at `due_at` microseconds; `every` (such as 15m, 1h, 1d, 1w) repeats it by `zone`'s clock."""

    type: Literal["timer.set"] = "timer.set"
    timer_id: str
    due_at: int
    note: Text = ""
    urgent: bool = False
    every: str = ""
    zone: str = ""


class TimerCancel(CalledAction):
    """A timer is cancelled. `note`: what it was to remind of."""

    type: Literal["timer.cancel"] = "timer.cancel"
    timer_id: str
    note: str = ""
