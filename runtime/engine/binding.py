"""An agent's text to an agent that can run here: its definition bound to the registry's tools."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from runtime.domain.agent import Agent, Limits, Window, is_framework_call
from runtime.domain.agent_file import read_agent_file
from runtime.domain.arguments import canonical
from runtime.domain.context import system_text
from runtime.domain.definition import Budget, BusinessState, Definition, OnStop, StateMachine, ToolGrant
from runtime.domain.errors import RuntimeFault
from runtime.domain.framework import framework_specs
from runtime.domain.skill import Skill
from runtime.domain.tokens import tokens_of
from runtime.domain.tool import ToolSpec
from runtime.domain.tool_policy import default_approval
from runtime.tools.registry import Registry, UnknownTool
from runtime.tools.skills import LOAD_SKILL


class CannotBind(RuntimeFault):
    """An agent version that this installation cannot run."""

    def __init__(self, agent: str, reason: str) -> None:
        self.agent, self.reason = agent, reason

    def __str__(self) -> str:
        return f"the agent {self.agent} cannot run here: {self.reason}"

    @property
    def sentence(self) -> str:
        """The same as people read it in the trajectory."""
        text = str(self).rstrip(".")
        return f"{text[0].upper()}{text[1:]}."


def bind(
    text: str,
    *,
    version: int,
    registry: Registry,
    root: str,
    pinned: str | None = None,
    descriptions: Mapping[str, str] = MappingProxyType({}),
    has_peers: bool = False,
    skills: Sequence[Skill] = (),
) -> Agent:
    """The agent of this text. `root`: the folder that workspaces are in; `pinned`: the tools as they were at its start.

    `descriptions`: what other agents' files say of themselves; `has_peers`: a workflow lets it interrupt others.
    `skills`: those that it may read, as they are kept for it. Raises CannotBind.
    """
    definition = definition_of(text)
    specs, hidden = _tools(definition, registry, root)
    framework = framework_specs(definition, descriptions, has_peers=has_peers)
    if specs or framework or skills:
        specs = (*specs, *framework, *_reading(registry, skills))
    agent = Agent(
        name=definition.name,
        version=version,
        model=definition.model,
        fallback_models=definition.fallback_models,
        settings=definition.model_settings.model_dump(exclude_none=True, exclude_defaults=True),
        system_prompt=definition.system_prompt,
        user_prompt_template=definition.user_prompt_template,
        output_schema=definition.output_schema,
        planning=definition.planning,
        skills=tuple(skills),
        tools=specs if pinned is None else _as_pinned(specs, json.loads(pinned)),
        hidden_tools=hidden,
        agents=definition.agents,
        machine=_machine(definition, registry),
        memory=definition.memory,
        title=definition.title,
        limits=_limits(definition),
        account_after_stop=definition.interrupts.on_stop is OnStop.RESPOND,
        send_now=definition.interrupts.send_now,
        show_thoughts=definition.show_thoughts,
        stream=definition.stream,
    )
    return replace(agent, window=_window(definition, agent))


def _window(definition: Definition, agent: Agent) -> Window:
    policy = definition.context
    return Window(
        tokens=policy.max_tokens or 0,
        compact_at=policy.compact_at,
        keep_turns=policy.keep_turns,
        fixed_tokens=tokens_of(system_text(agent)) + tokens_of(tools_text(agent)),
    )


def _tools(definition: Definition, registry: Registry, root: str) -> tuple[tuple[ToolSpec, ...], tuple[ToolSpec, ...]]:
    """The granted tools under their policy, and those that only stand in for them or undo what they did.

    The latter have the settings, such as the workspace, of the tool that they serve.
    """
    try:
        granted = registry.grant(definition.tools, root=root, approval=default_approval(definition))
        specs = tuple(tool.spec for tool in granted.values())
        wanted = {name: spec.settings for spec in reversed(specs) for name in (spec.fallback, spec.rollback) if name}
        others = [
            ToolGrant(name=registry.tool(name).spec.name, settings=settings)
            for name, settings in wanted.items()
            if name not in granted
        ]
        return specs, tuple(tool.spec for tool in registry.grant(others, root=root).values())
    except UnknownTool as error:
        raise CannotBind(definition.name, str(error)) from error


def _reading(registry: Registry, skills: Sequence[Skill]) -> Iterator[ToolSpec]:
    """The framework's own calls that run like tools; skills are read by those alone that have some."""
    for tool in registry.framework_tools():
        if tool.spec.name != LOAD_SKILL:
            yield tool.spec
        elif skills:
            yield replace(tool.spec, settings={"skills": {skill.name: skill.sha256 for skill in skills}})


def _machine(definition: Definition, registry: Registry) -> StateMachine | None:
    """The business states, the groups among their tools replaced by the tools."""
    machine = definition.states
    if machine is None:
        return None
    states = {name: _ungrouped(state, registry) for name, state in machine.states.items()}
    return machine.model_copy(update={"states": states})


def _ungrouped(state: BusinessState, registry: Registry) -> BusinessState:
    if state.tools is None:
        return state
    tools = tuple(tool for name in state.tools for tool in registry.groups.get(name, (name,)))
    return state.model_copy(update={"tools": tools})


def _limits(definition: Definition) -> Limits:
    limits = definition.limits
    budget = limits.budget or Budget()
    return Limits(
        max_steps=limits.max_steps,
        max_tool_calls=limits.max_tool_calls,
        max_concurrent_tools=limits.max_concurrent_tools,
        max_depth=limits.max_depth,
        max_children=limits.max_children,
        budget_tokens=budget.tokens or 0,
        budget_usd=budget.usd or 0.0,
    )


def tools_text(agent: Agent) -> str:
    """The tools as the model is told of them, as one canonical text; pinned by its hash for the whole rollout."""
    return canonical([spec.offered() for spec in agent.tools])


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=256)
def definition_of(text: str) -> Definition:
    """What the text means. Raises CannotBind."""
    file = read_agent_file(text)
    if file.definition is None:
        problem = file.errors[0]
        raise CannotBind("of this rollout", f"line {problem.line} of its file: {problem.message}")
    return file.definition


def _as_pinned(specs: Sequence[ToolSpec], pinned: Sequence[Mapping[str, Any]]) -> tuple[ToolSpec, ...]:
    """The tools in the words of the rollout's start; one that is gone since is still offered, and fails in words."""
    here = {spec.name: spec for spec in specs}
    return tuple(
        replace(
            here.get(tool["name"]) or ToolSpec(tool["name"], "", {}, framework=is_framework_call(tool["name"])),
            description=tool["description"],
            schema=tool["parameters"],
        )
        for tool in pinned
    )
