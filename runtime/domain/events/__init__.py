"""Every event type, as one discriminated union."""

from typing import Annotated, get_args

from pydantic import Field

from runtime.domain.events.actions import (
    AgentEscalation,
    AgentInterrupt,
    AgentInvocation,
    AgentMessage,
    AgentOutput,
    AgentResponse,
    ApprovalRequest,
    ApprovalWhy,
    CallMode,
    StateUpdate,
    TimerCancel,
    TimerSet,
    ToolRequest,
)
from runtime.domain.events.base import (
    ArtifactRef,
    Called,
    Category,
    FileRef,
    MemoryNamed,
    Payload,
    RecalledEntry,
    ResultStatus,
)
from runtime.domain.events.inputs import (
    START,
    AgentInput,
    ApprovalDecision,
    ExternalTrigger,
    FormAnswer,
    MemoryRecalled,
    ToolResult,
    ToolRole,
    UserInput,
    Verdict,
)
from runtime.domain.events.interrupts import (
    AgentInterruptReceived,
    SupervisorInstruction,
    TimerTrigger,
    UserInterrupt,
)
from runtime.domain.events.lifecycle import (
    AbortWhy,
    ContextCompacted,
    LimitKind,
    LimitReached,
    ResumeReason,
    RolloutCancelled,
    RolloutCompleted,
    RolloutFailed,
    RolloutMoved,
    RolloutPaused,
    RolloutResumed,
    RolloutStarted,
    StepAborted,
    StepCompleted,
    StepStarted,
    ToolStarted,
)
from runtime.domain.events.thinking import AgentThought, PlanStep, ThoughtKind

AnyPayload = Annotated[
    UserInput
    | AgentInput
    | ToolResult
    | ExternalTrigger
    | ApprovalDecision
    | MemoryRecalled
    | SupervisorInstruction
    | UserInterrupt
    | AgentInterruptReceived
    | TimerTrigger
    | AgentThought
    | AgentOutput
    | ToolRequest
    | ApprovalRequest
    | StateUpdate
    | AgentInvocation
    | AgentResponse
    | AgentMessage
    | AgentInterrupt
    | AgentEscalation
    | TimerSet
    | TimerCancel
    | RolloutStarted
    | RolloutPaused
    | RolloutResumed
    | RolloutMoved
    | RolloutCompleted
    | RolloutFailed
    | RolloutCancelled
    | StepStarted
    | StepCompleted
    | StepAborted
    | ToolStarted
    | LimitReached
    | ContextCompacted,
    Field(discriminator="type"),
]

TYPES: dict[str, type[Payload]] = {
    get_args(cls.model_fields["type"].annotation)[0]: cls for cls in get_args(get_args(AnyPayload)[0])
}
"""Every event type by its dotted name."""

__all__ = [
    "START",
    "TYPES",
    "AbortWhy",
    "AgentEscalation",
    "AgentInput",
    "AgentInterrupt",
    "AgentInterruptReceived",
    "AgentInvocation",
    "AgentMessage",
    "AgentOutput",
    "AgentResponse",
    "AgentThought",
    "AnyPayload",
    "ApprovalDecision",
    "ApprovalRequest",
    "ApprovalWhy",
    "ArtifactRef",
    "CallMode",
    "Called",
    "Category",
    "ContextCompacted",
    "ExternalTrigger",
    "FileRef",
    "FormAnswer",
    "LimitKind",
    "LimitReached",
    "MemoryNamed",
    "MemoryRecalled",
    "Payload",
    "PlanStep",
    "RecalledEntry",
    "ResultStatus",
    "ResumeReason",
    "RolloutCancelled",
    "RolloutCompleted",
    "RolloutFailed",
    "RolloutMoved",
    "RolloutPaused",
    "RolloutResumed",
    "RolloutStarted",
    "StateUpdate",
    "StepAborted",
    "StepCompleted",
    "StepStarted",
    "SupervisorInstruction",
    "ThoughtKind",
    "TimerCancel",
    "TimerSet",
    "TimerTrigger",
    "ToolRequest",
    "ToolResult",
    "ToolRole",
    "ToolStarted",
    "UserInput",
    "UserInterrupt",
    "Verdict",
]
