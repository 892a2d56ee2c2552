"""An agent's text to an agent that can run here: its definition bound to the registry's tools."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from runtime.domain.acting import acting_grants
from runtime.domain.agent import Agent, Limits
from runtime.domain.agent_file import read_agent_file
from runtime.domain.arguments import canonical
from runtime.domain.definition import Definition, OnStop
from runtime.domain.errors import RuntimeFault
from runtime.domain.tool import ToolSpec
from runtime.tools.registry import Registry, UnknownTool


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


def bind(text: str, *, version: int, registry: Registry, root: str, pinned: str | None = None) -> Agent:
    """The agent of this text. `root`: the folder that workspaces are in; `pinned`: the tools as they were at its start.

    Raises CannotBind.
    """
    definition = _definition(text)
    try:
        granted = registry.grant(acting_grants(definition), root=root)
    except UnknownTool as error:
        raise CannotBind(definition.name, str(error)) from error
    specs = [tool.spec for tool in granted.values()]
    if specs:
        specs += [tool.spec for tool in registry.framework_tools()]
    return Agent(
        name=definition.name,
        version=version,
        model=definition.model,
        fallback_models=definition.fallback_models,
        settings=definition.model_settings.model_dump(exclude_none=True, exclude_defaults=True),
        system_prompt=definition.system_prompt,
        user_prompt_template=definition.user_prompt_template,
        tools=tuple(specs) if pinned is None else _as_pinned(specs, json.loads(pinned)),
        limits=Limits(
            max_steps=definition.limits.max_steps,
            max_tool_calls=definition.limits.max_tool_calls,
            max_concurrent_tools=definition.limits.max_concurrent_tools,
        ),
        account_after_stop=definition.interrupts.on_stop is OnStop.RESPOND,
        send_now=definition.interrupts.send_now,
        stream=definition.stream,
    )


def tools_text(agent: Agent) -> str:
    """The tools as the model is told of them, as one canonical text; pinned by its hash for the whole rollout."""
    return canonical([spec.offered() for spec in agent.tools])


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=256)
def _definition(text: str) -> Definition:
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
            here.get(tool["name"]) or ToolSpec(tool["name"], "", {}),
            description=tool["description"],
            schema=tool["parameters"],
        )
        for tool in pinned
    )
