"""An agent's definition: what an agent file means, with every default filled in.

Source: agent-file.md, "Everything"; runtime.md, 5, "Limits".
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from runtime.domain.part import Part
from runtime.domain.quantity import Money, Name, NotNegative, Number, Positive, Seconds, Share, Switch, Turns, Whole
from runtime.domain.trigger_definition import Trigger

type AgentName = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", max_length=56)]
type ModelName = Annotated[str, Field(pattern=r"^[^\s/]+(/[^\s]+)?$", max_length=200)]
type JsonSchema = Mapping[str, Any]


def _read_keys(value: Any) -> Any:
    return ("*",) if value in ("all", ["all"]) else value


class OnStop(StrEnum):
    """What a bare stop leads to: a short account by the model, or silence."""

    RESPOND = "respond"
    WAIT = "wait"


class ModelSettings(Part):
    """How the model is asked. None leaves the choice to the provider."""

    temperature: Annotated[Number, Field(ge=0, le=2)] | None = None
    top_p: Share | None = None
    max_tokens: Positive | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    seed: Whole | None = None
    timeout_seconds: Seconds | None = Field(default=None, validation_alias="timeout")
    stop: tuple[str, ...] = ()
    presence_penalty: Annotated[Number, Field(ge=-2, le=2)] | None = None
    frequency_penalty: Annotated[Number, Field(ge=-2, le=2)] | None = None


class ApprovalExpiry(Part):
    """When an undecided approval ends, and how. A bare time such as `24h` means that it is denied then."""

    after_seconds: Seconds = Field(validation_alias="after")
    then: Literal["deny", "escalate"] = "deny"

    @model_validator(mode="before")
    @classmethod
    def _from_time(cls, value: Any) -> Any:
        return value if isinstance(value, Mapping | cls) else {"after": value}


class ToolGrant(Part):
    """One tool, or a group of tools, that the agent may use, with its settings and the policy for this agent.

    `settings` belong to the tool (`workspace`); what is None is as the tool itself declares it.
    `approvals_needed`: how many different people must approve; `self_approval`: whether the one whose message led to
    the call may be one of them.
    """

    name: Name
    settings: Mapping[str, Any] = {}
    approval: str | None = None
    approvers: tuple[Name, ...] = ()
    approvals_needed: Annotated[Whole, Field(ge=1, le=10)] | None = None
    self_approval: Switch | None = None
    approval_expires: ApprovalExpiry | None = None
    mode: Literal["sync", "async"] | None = None
    timeout_seconds: Seconds | None = Field(default=None, validation_alias="timeout")
    retries: Annotated[Whole, Field(ge=0, le=10)] | None = None
    fallback: Name | None = None
    rollback: Name | None = None
    on_interrupt: Literal["cancel", "finish"] | None = None
    idempotent: Switch | None = None


class AgentContext(Part):
    """What a sub-agent is shown of the conversation besides its task."""

    kind: Literal["none", "summary", "last", "full"] = "none"
    last: Positive | None = None
    variables: tuple[Name, ...] = ()
    memory: tuple[Name, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and "last" in value:
            return {"kind": "last", **value}
        return {"kind": value} if isinstance(value, str) else value


class AgentGrant(Part):
    """An agent that this one may invoke."""

    name: Name
    context: AgentContext = AgentContext()
    mode: Literal["wait", "background"] = "wait"

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class Variable(Part):
    """A typed variable of the business state."""

    type: Literal["string", "number", "integer", "boolean", "array", "object"]
    default: Any = None
    description: str = ""


class Transition(Part):
    """A way from one business state to another; `when` is told to the model, `guard` is enforced."""

    to: Name
    when: str = ""
    guard: str | None = None
    approval: str | None = None
    set: Mapping[str, Any] = {}


class MaxStay(Part):
    """The longest stay in a state, and where it leads."""

    after_seconds: Seconds = Field(validation_alias="after")
    to: Name


class BusinessState(Part):
    """One named state. `tools` None means all of the agent's tools."""

    description: str = ""
    instructions: str = ""
    tools: tuple[Name, ...] | None = None
    transitions: tuple[Transition, ...] = ()
    max_stay: MaxStay | None = None
    final: Switch = False


class StateMachine(Part):
    """The optional business states of an agent."""

    initial: Name
    enforce: Switch = True
    variables: Mapping[str, Variable] = {}
    states: Mapping[str, BusinessState]


class Dream(Part):
    """When memory is consolidated: after a session, or every so many turns."""

    after: Literal["session"] | None = None
    every_turns: Turns | None = Field(default=None, validation_alias="every")
    model: Name | None = None


class MemoryPolicy(Part):
    """How the agent uses the long-term memory of the person it talks to. `inject` ("*",) means all."""

    namespace: Literal["user", "agent"] = "user"
    tools: tuple[Literal["remember", "recall", "search_memory", "forget"], ...] = ()
    inject: Annotated[tuple[Name, ...], BeforeValidator(_read_keys)] = ()
    capture: tuple[Name, ...] = ()
    max_inject_tokens: Positive = 1000
    dream: Dream | None = None


class ContextPolicy(Part):
    """How much of the trajectory goes into a prompt. max_tokens None: the model's window less the answer."""

    max_tokens: Positive | None = None
    compact_at: Share = 0.8
    keep_turns: NotNegative = 4


class Planning(Part):
    """Whether the agent keeps a plan, and how strictly."""

    enabled: Switch = False
    max_steps: Positive = 20
    approval: Switch = False
    strict: Switch = True

    @model_validator(mode="before")
    @classmethod
    def _from_switch(cls, value: Any) -> Any:
        return {"enabled": value} if isinstance(value, bool) else value


class Interrupts(Part):
    """What a bare stop does, and whether people may send a message at once."""

    on_stop: OnStop = OnStop.RESPOND
    send_now: Switch = True


class Budget(Part):
    """What a rollout with its children may use; None is no limit of that kind."""

    tokens: Positive | None = None
    usd: Money | None = None


class Limits(Part):
    """The bounds of a turn, and of the tree of agents."""

    max_steps: Annotated[Whole, Field(ge=1, le=1000)] = 25
    max_tool_calls: Annotated[Whole, Field(ge=0, le=1000)] = 10
    max_concurrent_tools: Annotated[Whole, Field(ge=1, le=64)] = 4
    max_depth: Annotated[Whole, Field(ge=0, le=16)] = 4
    max_children: Annotated[Whole, Field(ge=0, le=64)] = 8
    budget: Budget | None = None


class McpServer(Part):
    """A tool server named in the file; it is never started or called from here."""

    name: Name
    url: str | None = None
    command: str | None = None
    args: tuple[str, ...] = ()
    auth: str | None = None
    secret: Name | None = None
    only: tuple[Name, ...] | None = None


class Definition(Part):
    """One agent, complete."""

    name: AgentName
    model: ModelName
    title: Annotated[str, Field(max_length=200)] = ""
    description: str = ""
    tags: tuple[Name, ...] = ()
    model_settings: ModelSettings = ModelSettings()
    fallback_models: tuple[ModelName, ...] = ()
    system_prompt: str = ""
    user_prompt_template: str = ""
    input_schema: JsonSchema | None = None
    output_schema: JsonSchema | None = None
    tools: tuple[ToolGrant, ...] = ()
    agents: tuple[AgentGrant, ...] = ()
    states: StateMachine | None = None
    memory: MemoryPolicy | None = None
    context: ContextPolicy = ContextPolicy()
    planning: Planning = Planning()
    skills: tuple[Name, ...] = ()
    interrupts: Interrupts = Interrupts()
    show_thoughts: Switch = False
    limits: Limits = Limits()
    triggers: tuple[Trigger, ...] = ()
    stream: Switch = True
    mcp_servers: tuple[McpServer, ...] = ()
    approval_mode: str | None = None
    hooks: Any = None
    tools_file: str | None = None
    workflow_file: str | None = None

    @property
    def shown_name(self) -> str:
        """What people see: the title, or else the name."""
        return self.title or self.name
