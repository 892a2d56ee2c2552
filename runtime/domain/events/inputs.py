"""Category input: what comes in."""

from enum import StrEnum
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from runtime.domain.events.base import (
    ArtifactRef,
    Category,
    FileRef,
    MemoryNamed,
    Payload,
    RecalledEntry,
    ResultStatus,
    Text,
)


class Input(Payload):
    """Something that comes in."""

    category: ClassVar[Category] = Category.INPUT


START = "start"


class FormAnswer(BaseModel):
    """The answer to a form: its name and values; under the name START, what a session began with (`input_schema`)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Text
    values: dict[str, Any]


class UserInput(Input):
    """A message of a person. `name` is the sender's name as shown; `now` = sent urgently."""

    wakes: ClassVar[bool] = True

    type: Literal["user.input"] = "user.input"
    content: Text = ""
    name: Text = ""
    to: str = ""
    now: bool = False
    form: FormAnswer | None = None
    artifact: ArtifactRef | None = None
    files: tuple[FileRef, ...] = ()

    @property
    def is_urgent(self) -> bool:
        return self.now


class AgentInput(Input):
    """A message or a task of another agent. If it closes a call, it counts as that call's result.

    `status` tells how that call ended. `context` is what the task is shown of the calling agent's conversation, `vars`
    are the variables that it was given. `hops`: how many messages went from agent to agent since a person spoke.
    `owner`: the person (by public id and name) in whose turn it was sent; `untrusted`: its sender had read untrusted
    content before, and `untrusted_by` what; `private_by`: what private data it had read. `memory`: keys of the owner's
    memory, in `namespace`, that the task may be shown.
    """

    wakes: ClassVar[bool] = True

    type: Literal["agent.input"] = "agent.input"
    content: Text
    from_rollout: str = ""
    name: Text = ""
    call_id: str = ""
    final: bool = False
    status: ResultStatus = ResultStatus.OK
    context: Text = ""
    vars: dict[str, Any] = {}
    hops: int = 0
    owner: str = ""
    owner_name: Text = ""
    untrusted: bool = False
    untrusted_by: Text = ""
    private_by: Text = ""
    memory: tuple[Text, ...] = ()
    namespace: Text = ""


class ToolRole(StrEnum):
    """What a tool is run for: the call itself, in its place when it failed, or to undo what it did."""

    CALL = "call"
    FALLBACK = "fallback"
    ROLLBACK = "rollback"


class ToolResult(Input):
    """The one result of a call; `late` if it comes after the call had one already. `ms` = milliseconds it ran.

    `role`: of the call itself, or of the compensation that was run for it. `memory`: what it read or wrote there; the
    values that were read are not in `content`.
    """

    type: Literal["tool.result"] = "tool.result"
    call_id: str
    status: ResultStatus = ResultStatus.OK
    content: Text = ""
    attempts: int = 1
    ms: int = 0
    late: bool = False
    role: ToolRole = ToolRole.CALL
    artifact: ArtifactRef | None = None
    memory: MemoryNamed | None = None


class ExternalTrigger(Input):
    """Something that happened outside. `user`: the public id of whose memory it may use; empty = nobody's.

    `task`: what the agent's author wants done then; no data from outside. `artifact` holds all of a large body.
    """

    wakes: ClassVar[bool] = True

    type: Literal["external.trigger"] = "external.trigger"
    trigger: Text
    body: Any = None
    key: Text = ""
    urgent: bool = False
    user: str = ""
    user_name: Text = ""
    task: Text = ""
    artifact: ArtifactRef | None = None

    @property
    def is_urgent(self) -> bool:
        return self.urgent


class Verdict(StrEnum):
    """What a person decides about a call."""

    APPROVE = "approve"
    DENY = "deny"
    RUN_AGAIN = "run_again"
    HAPPENED = "happened"
    SKIP = "skip"


class ApprovalDecision(Input):
    """A person's decision; releases exactly that call. `result` goes with the verdict happened.

    `args_sha256` is the hash of what was approved. `grant` names the standing grant that was given with it
    (session, agent, value:ARGUMENT), or the one that decided in a person's stead (`g_…`).
    """

    is_immediate: ClassVar[bool] = True

    type: Literal["approval.decision"] = "approval.decision"
    call_id: str
    verdict: Verdict
    args_sha256: str = ""
    edited_args: dict[str, Any] | None = None
    result: Text = ""
    by: Text = ""
    reason: Text = ""
    grant: str = ""


class MemoryRecalled(Input):
    """Memory that was put into the prompt. `left_out`: how many values had no room there."""

    type: Literal["memory.recalled"] = "memory.recalled"
    owner: str
    entries: tuple[RecalledEntry, ...] = ()
    left_out: int = 0
