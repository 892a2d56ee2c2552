"""An agent as the core needs it: what its file says, with its tools bound to what the registry knows of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from runtime.domain.definition import AgentGrant, MemoryPolicy, Planning, StateMachine
from runtime.domain.skill import Skill
from runtime.domain.tool import ToolSpec

INVOKE = "invoke_"
CANCEL_CALL = "cancel_call"
UPDATE_STATE = "update_rollout_state"
MEMORY_CALLS = ("remember", "recall", "search_memory", "forget")
UPDATE_PLAN = "update_plan"
FRAMEWORK_CALLS = frozenset(
    {
        CANCEL_CALL,
        "cancel_timer",
        "escalate",
        "interrupt_agent",
        "load_skill",
        "message_agent",
        "note",
        "pause",
        "read_artifact",
        "send_message",
        "set_timer",
        UPDATE_PLAN,
        UPDATE_STATE,
        *MEMORY_CALLS,
    }
)
"""Calls that the framework itself answers; they do not count as tool calls. So is every `invoke_NAME`."""


def is_framework_call(tool: str) -> bool:
    return tool in FRAMEWORK_CALLS or tool.startswith(INVOKE)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one turn and of the tree of agents; the defaults are those of the agent file. A budget of 0 is none."""

    max_steps: int = 25
    max_tool_calls: int = 10
    max_concurrent_tools: int = 4
    max_depth: int = 4
    max_children: int = 8
    budget_tokens: int = 0
    budget_usd: float = 0.0

    def raised(self, by_name: Mapping[str, float]) -> "Limits":
        """With the limits that a person has raised, by the names that `limit.reached` has for them."""
        if not by_name:
            return self
        whole = {"max_steps": "max_steps", "max_tool_calls": "max_tool_calls", "budget.tokens": "budget_tokens"}
        changes: dict[str, Any] = {whole[name]: int(value) for name, value in by_name.items() if name in whole}
        if "budget.usd" in by_name:
            changes["budget_usd"] = by_name["budget.usd"]
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Window:
    """How much the model can be shown, in tokens. `tokens` 0: not known, so nothing is refused before it is asked.

    Beyond the share `compact_at` the oldest turns are summarised; the newest `keep_turns` stay as they are, if they
    fit. `fixed_tokens`: what the system prompt and the tools take of every request.
    """

    tokens: int = 0
    compact_at: float = 0.8
    keep_turns: int = 4
    fixed_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent version, ready to run. `tools` in the order in which the model is told of them.

    `agents` are those that it may invoke, `machine` its business states, `memory` how it uses the memory of the people
    it talks to, `skills` what it may read. `hidden_tools` are run for others, as their fallback or rollback, and never
    offered. `show_thoughts`: whoever takes part in the session sees what it thinks, too.
    """

    name: str
    version: int = 1
    model: str = "playbook/echo"
    fallback_models: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    system_prompt: str = ""
    user_prompt_template: str = ""
    output_schema: Mapping[str, Any] | None = None
    tools: tuple[ToolSpec, ...] = ()
    agents: tuple[AgentGrant, ...] = ()
    hidden_tools: tuple[ToolSpec, ...] = ()
    machine: StateMachine | None = None
    memory: MemoryPolicy | None = None
    title: str = ""
    limits: Limits = Limits()
    window: Window = Window()
    skills: tuple[Skill, ...] = ()
    planning: Planning = field(default_factory=Planning)
    account_after_stop: bool = True
    send_now: bool = True
    show_thoughts: bool = False
    stream: bool = True

    @property
    def models(self) -> tuple[str, ...]:
        """The model, then its fallbacks."""
        return (self.model, *self.fallback_models)

    @property
    def shown_name(self) -> str:
        """What people and other agents see."""
        return self.title or self.name

    def tool(self, name: str) -> ToolSpec | None:
        return next((spec for spec in self.tools if spec.name == name), None)

    def any_tool(self, name: str) -> ToolSpec | None:
        """The tool of that name, also if it only runs for another."""
        return self.tool(name) or next((spec for spec in self.hidden_tools if spec.name == name), None)

    def sub_agent(self, tool: str) -> AgentGrant | None:
        """The agent that this call invokes; agents' dashes are underscores in the name of the call."""
        return next((grant for grant in self.agents if invoke_name(grant.name) == tool), None)


def invoke_name(agent: str) -> str:
    """The name of the call that invokes an agent."""
    return INVOKE + agent.replace("-", "_")
