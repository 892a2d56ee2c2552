"""What an agent file of a project may name: tools, agents, models and playbooks."""

from functools import cache
from typing import Any

from django.db.models import Exists, OuterRef

from runtime.domain.known import Known
from runtime.providers.playbooks import SCRIPTS
from runtime.tools.arguments import schema_problem
from runtime.tools.registry import Registry, discover
from studio.models import Agent, AgentVersion, ModelConnection, Project, Skill
from studio.queries.agent_facts import facts_of
from studio.queries.prices import has_price


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
    published = Exists(AgentVersion.objects.filter(agent=OuterRef("pk")))
    rows = list(Agent.objects.filter(project=project).open().annotate(is_published=published))
    drafts = {row.name: row.draft for row in rows}
    return Known(
        tools=registry.specs,
        tool_groups=registry.groups,
        settings=setting_schemas(),
        agents=frozenset(drafts),
        invocations={name: facts_of(draft).invokes for name, draft in drafts.items() if "agents:" in draft},
        descriptions={row.name: row.description for row in rows},
        unpublished=frozenset(row.name for row in rows if not row.is_published),
        models=frozenset(ModelConnection.objects.values_list("name", flat=True)),
        playbooks=frozenset(SCRIPTS),
        skills=frozenset(Skill.objects.filter(project=project).values_list("name", flat=True)),
        has_price=has_price,
        schema_problem=schema_problem,
        complete=True,
    )
