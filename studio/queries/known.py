"""What an agent file of a project may name: tools, agents, models and playbooks."""

from functools import cache
from typing import Any

from runtime.domain.known import Known
from runtime.providers.playbooks import SCRIPTS
from runtime.tools.registry import Registry, discover
from studio.models import Agent, ModelConnection, Project
from studio.queries.agent_facts import facts_of


@cache
def tool_registry() -> Registry:
    """The tools of this installation; only for naming and describing them, never for calling them."""
    return discover()


@cache
def setting_schemas() -> dict[str, dict[str, Any]]:
    """For each tool and group, the JSON Schema of what an agent file may set for it."""
    registry = tool_registry()
    schemas = {card.name: dict(card.settings or {}) for card in registry.describe()}
    for group, members in registry.groups.items():
        properties = {key: value for name in members for key, value in schemas[name].get("properties", {}).items()}
        schemas[group] = {"properties": properties}
    return schemas


def known_for(project: Project) -> Known:
    """Everything that exists around an agent file of the project."""
    registry = tool_registry()
    drafts = dict(Agent.objects.filter(project=project).open().values_list("name", "draft"))
    return Known(
        tools=registry.specs,
        tool_groups=registry.groups,
        settings=setting_schemas(),
        agents=frozenset(drafts),
        invocations={name: facts_of(draft).invokes for name, draft in drafts.items() if "agents:" in draft},
        models=frozenset(ModelConnection.objects.values_list("name", flat=True)),
        playbooks=frozenset(SCRIPTS),
        complete=True,
    )
