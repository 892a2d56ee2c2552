"""Category lifecycle: the framework's own records, never shown to the model."""

from enum import StrEnum
from typing import Any, ClassVar, Literal

from runtime.domain.events.base import Category, Payload, Text
from runtime.domain.events.inputs import ToolRole


class Lifecycle(Payload):
    """A record of the framework."""

    category: ClassVar[Category] = Category.LIFECYCLE


class RolloutStarted(Lifecycle):
    """Seq 1. `previous_answer`: the last words of a rollout that this one follows; `origin` of a fork.

    A sub-agent's names its `parent` rollout, the call there, and the agents above it, the root first.
    `business_state` and `vars` are the initial ones of the agent's state machine. `reserves`: the root has a budget.
    `shared`: what every rollout of the session may read.
    `skills`: their names, each with the hash of all its texts. `untrusted_by`, `private_by`: what untrusted content and
    private data the rollout had read that this one follows.
    """

    type: Literal["rollout.started"] = "rollout.started"
    agent: str
    agent_version: int
    by: Text = ""
    tools_sha256: str = ""
    previous_answer: Text = ""
    origin: str = ""
    root: str = ""
    parent: str = ""
    parent_call: str = ""
    ancestors: tuple[str, ...] = ()
    business_state: Text = ""
    vars: dict[str, Any] = {}
    reserves: bool = False
    shared: dict[str, Any] = {}
    skills: dict[str, str] = {}
    untrusted_by: Text = ""
    private_by: Text = ""


class RolloutPaused(Lifecycle):
    """Nothing new starts until it is resumed. `cascades`: because the agent that called it was paused."""

    is_immediate: ClassVar[bool] = True

    type: Literal["rollout.paused"] = "rollout.paused"
    by: Text = ""
    reason: Text = ""
    cascades: bool = False


class ResumeReason(StrEnum):
    """What made a rollout go on."""

    RESUME = "resume"
    RETRY = "retry"
    FORK = "fork"
    LIMIT = "limit"


class RolloutResumed(Lifecycle):
    """It goes on: after a pause, again at the step that failed (retry), or with raised `limits` by their names.

    `why`: in the words of whoever did it.
    """

    is_immediate: ClassVar[bool] = True

    type: Literal["rollout.resumed"] = "rollout.resumed"
    by: Text = ""
    reason: ResumeReason = ResumeReason.RESUME
    origin: str = ""
    limits: dict[str, float] = {}
    why: Text = ""


class RolloutMoved(Lifecycle):
    """A person moved it to another version of its agent."""

    type: Literal["rollout.moved"] = "rollout.moved"
    by: Text = ""
    agent_version: int
    tools_sha256: str = ""


class RolloutCompleted(Lifecycle):
    """It has ended well: in a final state, or because `by` a person its session was archived."""

    is_immediate: ClassVar[bool] = True

    type: Literal["rollout.completed"] = "rollout.completed"
    by: Text = ""
    reason: Text = ""

    @property
    def is_urgent(self) -> bool:
        return bool(self.by)


class RolloutFailed(Lifecycle):
    """It could not go on; retry or a new message does."""

    type: Literal["rollout.failed"] = "rollout.failed"
    error: Text


class RolloutCancelled(Lifecycle):
    """A person ended it. `cascades`: because the agent that called it was stopped or cancelled."""

    is_immediate: ClassVar[bool] = True

    type: Literal["rollout.cancelled"] = "rollout.cancelled"
    by: Text = ""
    reason: Text = ""
    cascades: bool = False

    @property
    def is_urgent(self) -> bool:
        return True


class StepStarted(Lifecycle):
    """A model call begins. `seen` = seq up to which the model is shown the trajectory.

    `prompt_sha256` covers the canonical JSON of the request; `renderer` names the version of `render`.
    `withheld` = tools withheld (a forced answer or an account). `reserved_*`: what was set aside of the budget for it.
    `captures`: it is only asked, after a turn, what is to be kept in the memory; nobody sees its answer.
    `compacts_to`: it summarises the turns up to that seq, and answers nothing; 0 = it is an ordinary step.
    `shows_thoughts`: whoever takes part in the session sees what the model thinks meanwhile.
    """

    type: Literal["step.started"] = "step.started"
    attempt: int = 1
    model: str
    seen: int
    prompt_sha256: str
    renderer: int = 1
    withheld: bool = False
    reserved_tokens: int = 0
    reserved_usd: float = 0.0
    captures: bool = False
    compacts_to: int = 0
    shows_thoughts: bool = False


class StepCompleted(Lifecycle):
    """A step is recorded whole. Token counts are None, and `cost_usd` is None, where they are not known.

    `opaque` is what the provider needs back verbatim, for models of `family` only; never shown.
    """

    type: Literal["step.completed"] = "step.completed"
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    tokens_reasoning: int | None = None
    cost_usd: float | None = None
    ms: int = 0
    ms_to_first_token: int | None = None
    finish_reason: str = "stop"
    opaque: Any = None
    family: str = ""


class AbortWhy(StrEnum):
    """Why a step was given up."""

    URGENT = "urgent"
    ERROR = "error"
    RESTART = "restart"


class StepAborted(Lifecycle):
    """An attempt of a step that is given up. `retry_at` in microseconds. Token counts and `cost_usd` are estimates.

    `tool` and `field` name a tool schema that the provider refused; the other tools go on.
    """

    type: Literal["step.aborted"] = "step.aborted"
    why: AbortWhy
    error: Text = ""
    kind: str = ""
    retryable: bool = True
    retry_at: int = 0
    model: str = ""
    tool: str = ""
    field: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None


class ToolStarted(Lifecycle):
    """An attempt of a call begins; recorded before anything of a call that is not `read` is done.

    `tool` is the one that runs, if not the call's own: its fallback (`why`: how the call failed) or its rollback.
    """

    type: Literal["tool.started"] = "tool.started"
    call_id: str
    attempt: int = 1
    role: ToolRole = ToolRole.CALL
    tool: Text = ""
    why: Text = ""


class LimitKind(StrEnum):
    """What ran out."""

    STEPS = "max_steps"
    TOOL_CALLS = "max_tool_calls"
    REPEATED_CALL = "repeated_call"
    BUDGET_TOKENS = "budget.tokens"
    BUDGET_USD = "budget.usd"


class LimitReached(Lifecycle):
    """A limit of the agent file was reached: in this turn, or a budget of the whole tree; `used` of `limit`."""

    type: Literal["limit.reached"] = "limit.reached"
    what: LimitKind
    limit: int | float
    used: int | float = 0


class ContextCompacted(Lifecycle):
    """The oldest turns were summarised; the events stay."""

    type: Literal["context.compacted"] = "context.compacted"
    from_seq: int
    to_seq: int
    summary_seq: int
