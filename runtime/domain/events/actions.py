"""Category action: what the agent does."""

from enum import StrEnum
from typing import Any, ClassVar, Literal

from runtime.domain.events.base import Category, Payload, Text


class Action(Payload):
    """Something that the agent does."""

    category: ClassVar[Category] = Category.ACTION


class AgentOutput(Action):
    """Text to people; `interrupted` if it was cut off."""

    type: Literal["agent.output"] = "agent.output"
    content: Text
    to: str = ""
    interrupted: bool = False


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


class ApprovalRequest(Action):
    """A question to a person about one call. `expires_at` in microseconds; 0 = never."""

    type: Literal["approval.request"] = "approval.request"
    call_id: str
    args_sha256: str = ""
    why: ApprovalWhy
    approvers: tuple[str, ...] = ()
    expires_at: int = 0


class StateUpdate(Action):
    """A move of the business state."""

    type: Literal["state.update"] = "state.update"
    call_id: str
    from_state: Text = ""
    to_state: Text = ""
    set: dict[str, Any] = {}
    reason: Text = ""
    accepted: bool = True
    error: Text = ""


class AgentInvocation(Action):
    """Another agent is called."""

    type: Literal["agent.invocation"] = "agent.invocation"
    call_id: str
    agent: str
    agent_version: int
    task: Text
    context: Any = None
    child_rollout: str
    mode: CallMode = CallMode.SYNC


class AgentResponse(Action):
    """The answer to the calling agent."""

    type: Literal["agent.response"] = "agent.response"
    call_id: str = ""
    to_rollout: str
    content: Text
    final: bool = True


class AgentMessage(Action):
    """A message to another agent."""

    type: Literal["agent.message"] = "agent.message"
    call_id: str = ""
    to_rollout: str
    content: Text


class AgentInterrupt(Action):
    """Another agent is interrupted."""

    type: Literal["agent.interrupt"] = "agent.interrupt"
    call_id: str = ""
    to_rollout: str
    content: Text = ""


class AgentEscalation(Action):
    """A supervisor is asked. `deadline` in microseconds; 0 = none."""

    type: Literal["agent.escalation"] = "agent.escalation"
    call_id: str
    reason: Text
    severity: str = "normal"
    question: Text = ""
    deadline: int = 0


class TimerSet(Action):
    """A timer is set, due at `due_at` microseconds."""

    type: Literal["timer.set"] = "timer.set"
    call_id: str
    timer_id: str
    due_at: int
    note: Text = ""
    urgent: bool = False


class TimerCancel(Action):
    """A timer is cancelled."""

    type: Literal["timer.cancel"] = "timer.cancel"
    call_id: str
    timer_id: str
