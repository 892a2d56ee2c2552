"""Who plays in one run: agents with tools, policies, states and sub-agents, drawn by chance."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.domain.agent import MEMORY_CALLS, Agent, Limits, Window
from runtime.domain.definition import AgentContext, AgentGrant, Definition, MemoryPolicy, Planning, StateMachine
from runtime.domain.framework import framework_specs
from runtime.domain.tool import Access, ApprovalPolicy, ToolSpec

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"x": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["x"],
    "additionalProperties": False,
}
PEOPLE = ("u_maya", "u_noah")
SUPERVISOR = "u_olga"
WRITES = ("pay", "ship", "mail")
UNDO, STAND_IN = "undo", "queue"
MACHINE: Mapping[str, Any] = {
    "initial": "asking",
    "variables": {"order": {"type": "string"}, "amount": {"type": "number", "default": 0}},
    "states": {
        "asking": {
            "tools": ["look", "pay"],
            "transitions": [{"to": "acting", "guard": 'vars.order != ""'}, {"to": "done", "approval": "always"}],
            "max_stay": {"after": "90s", "to": "acting"},
        },
        "acting": {"transitions": [{"to": "asking", "set": {"order": ""}}, {"to": "done", "approval": "always"}]},
        "done": {"final": True},
    },
}


@dataclass(frozen=True, slots=True)
class Cast:
    """`root` and `beside` talk to people; all agents by name. `shared`: what a workflow lets all of them read.

    `peers`: who may interrupt whom, though neither invoked the other.
    """

    root: Agent
    beside: Agent | None
    agents: Mapping[str, Agent]
    shared: Mapping[str, Any]
    peers: frozenset[tuple[str, str]]


def draw_cast(chance: random.Random) -> Cast:
    names = ["helper", "clerk"][: chance.choice((0, 1, 1, 2))]
    below = [_agent(chance, name, names[:1] if chance.random() < 0.2 else []) for name in names]
    budget = chance.choice((0, 0, 0, 15_000, 60_000))
    has_peers = chance.random() < 0.3
    root = _agent(chance, "desk", names, budget=budget, has_peers=has_peers)
    beside = _agent(chance, "porter", names[:1], has_peers=has_peers) if has_peers or chance.random() < 0.1 else None
    agents = {agent.name: agent for agent in (root, beside, *below) if agent is not None}
    shared = chance.choice(({}, {}, {"order_id": "48213"}))
    peers = frozenset({("desk", "porter"), ("porter", "desk")} if has_peers else ())
    return Cast(root, beside, agents, shared, peers)


def _agent(chance: random.Random, name: str, calls: list[str], *, budget: int = 0, has_peers: bool = False) -> Agent:
    specs = _tools(chance)
    machine = StateMachine.model_validate(MACHINE) if chance.random() < 0.4 else None
    memory = _memory(chance)
    planning = _planning(chance)
    grants = tuple(_grant(chance, one) for one in calls)
    return Agent(
        name=name,
        model=f"openai/{name}",
        fallback_models=("openai/spare",) if chance.random() < 0.3 else (),
        settings={"max_tokens": 500},
        system_prompt=f"You are {name}.",
        user_prompt_template=chance.choice(("", "It is {{ now }}, state {{ state }}.")),
        tools=(*specs, *_framework(name, grants, machine, memory, planning, has_peers=has_peers)),
        hidden_tools=(ToolSpec(UNDO, "Undoes.", SCHEMA, access=Access.WRITE, idempotent=chance.random() < 0.5),),
        agents=grants,
        machine=machine,
        memory=memory,
        planning=planning,
        limits=Limits(
            max_steps=chance.choice((3, 8, 25)),
            max_tool_calls=chance.choice((3, 10)),
            max_concurrent_tools=chance.choice((1, 4)),
            max_children=2,
            budget_tokens=budget,
        ),
        window=Window(chance.choice((0, 0, 700, 1500)), keep_turns=chance.choice((0, 1, 3))),
        show_thoughts=chance.random() < 0.2,
        account_after_stop=chance.random() < 0.7,
    )


def _grant(chance: random.Random, name: str) -> AgentGrant:
    kind, last = chance.choice((("none", None), ("none", None), ("summary", None), ("last", 2), ("full", None)))
    context = AgentContext(
        kind=kind, last=last, variables=chance.choice(((), ("order",))), memory=chance.choice(((), ("notes.*",)))
    )
    return AgentGrant(name=name, context=context, mode=chance.choice(("wait", "wait", "background")))


def _planning(chance: random.Random) -> Planning:
    if chance.random() < 0.7:
        return Planning()
    return Planning(enabled=True, max_steps=4, approval=chance.random() < 0.5, strict=chance.random() < 0.5)


def _tools(chance: random.Random) -> list[ToolSpec]:
    return [
        ToolSpec("look", "Reads.", SCHEMA, retries=chance.choice((0, 2)), approval=_policy(chance, 0.1)),
        ToolSpec("browse", "Reads slowly.", SCHEMA, runs_async=chance.random() < 0.5, timeout_seconds=5),
        ToolSpec(STAND_IN, "Writes down for later.", SCHEMA, access=Access.WRITE, idempotent=True),
        *(_write(chance, name) for name in WRITES),
    ]


def _write(chance: random.Random, name: str) -> ToolSpec:
    return ToolSpec(
        name,
        "Writes.",
        SCHEMA,
        access=Access.WRITE,
        idempotent=chance.random() < 0.3,
        timeout_seconds=chance.choice((5, 60)),
        retries=chance.choice((0, 0, 2)),
        runs_async=chance.random() < 0.25,
        approval=_policy(chance, 0.4),
        fallback=chance.choice(("", "", STAND_IN)),
        rollback=chance.choice(("", UNDO)),
        on_interrupt=chance.choice(("", "", "cancel", "finish")),
    )


def _policy(chance: random.Random, likely: float) -> ApprovalPolicy:
    if chance.random() > likely:
        return ApprovalPolicy()
    return ApprovalPolicy(
        when=chance.choice(("always", "always", "once", "args.n > 2")),
        approvers=chance.choice(((), ("supervisors",))),
        needed=chance.choice((1, 1, 1, 2)),
        allows_self=chance.random() < 0.7,
        expires_seconds=chance.choice((60.0, 3600.0)),
        then=chance.choice(("deny", "escalate")),
    )


def _memory(chance: random.Random) -> MemoryPolicy | None:
    if chance.random() < 0.5:
        return None
    return MemoryPolicy(
        namespace=chance.choice(("user", "user", "agent")),
        tools=MEMORY_CALLS,
        inject=chance.choice(((), ("*",), ("notes.*",))),
        capture=chance.choice(((), (), ("notes.*",))),
        max_inject_tokens=chance.choice((5, 1000)),
    )


def _framework(
    name: str,
    grants: tuple[AgentGrant, ...],
    machine: StateMachine | None,
    memory: MemoryPolicy | None,
    planning: Planning,
    *,
    has_peers: bool,
) -> tuple[ToolSpec, ...]:
    """The calls that an agent file of this shape is offered."""
    definition = Definition.model_validate(
        {
            "name": name,
            "model": "openai/x",
            "tools": [{"name": "mail", "mode": "async"}],
            "agents": [grant.model_dump() for grant in grants],
            "states": machine.model_dump(by_alias=False) if machine else None,
            "memory": memory.model_dump() if memory else None,
            "planning": planning.model_dump(),
        }
    )
    return framework_specs(definition, {}, has_peers=has_peers)
