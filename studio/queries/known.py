"""What an agent file of a project may name: tools, agents, models and playbooks."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from django.db.models import Exists, OuterRef

from runtime.domain.known import Known, Source
from runtime.domain.tool import ToolSpec
from runtime.providers.playbooks import SCRIPTS
from runtime.tools.arguments import schema_problem
from runtime.tools.registry import Registry, discover
from studio.models import Agent, AgentVersion, ModelConnection, Project, Rollout, Skill, Tool, ToolSource
from studio.queries.agent_facts import facts_of
from studio.queries.prices import has_price
from studio.queries.sandbox import sandboxed_agents
from studio.queries.secrets import secret_names
from studio.store.tools import project_tools, spec_of


@cache
def tool_registry() -> Registry:
    """The tools that are built in; only for naming and describing them, never for calling them."""
    return discover()


def registry_of(project: Project) -> Registry:
    """All tools of the project, the built-in ones among them; only for naming and describing them."""
    built_in = tool_registry()
    return built_in.joined(project_tools(project.public_id, built_in.services))


def tool_spec(name: str, rollout: str) -> ToolSpec | None:
    """What is declared of a tool in the project of the rollout with this public id."""
    registry = tool_registry()
    if name in registry.names:
        return registry.tool(name).spec
    project = Rollout.objects.filter(public_id=rollout).values("session__project")[:1]
    row = Tool.objects.filter(project__in=project, name=name).first()
    return spec_of(row) if row else None


@cache
def setting_schemas() -> dict[str, dict[str, Any]]:
    """For each built-in tool and group, the JSON Schema of what an agent file may set for it."""
    registry = tool_registry()
    schemas = {card.name: dict(card.settings or {}) for card in registry.describe()}
    for group, members in registry.groups.items():
        properties = {key: value for name in members for key, value in schemas[name].get("properties", {}).items()}
        schemas[group] = {"properties": properties}
    return schemas


def known_for(project: Project) -> Known:
    """Everything that exists around an agent file of the project."""
    registry = registry_of(project)
    published = Exists(AgentVersion.objects.filter(agent=OuterRef("pk")))
    rows = list(Agent.objects.filter(project=project).open().annotate(is_published=published))
    drafts = {row.name: row.draft for row in rows}
    return Known(
        tools=registry.specs,
        tool_groups=registry.groups,
        settings=setting_schemas(),
        sources=_sources(project, registry),
        secrets=frozenset(secret_names(project)),
        agents=frozenset(drafts),
        invocations={name: facts_of(draft).invokes for name, draft in drafts.items() if "agents:" in draft},
        descriptions={row.name: row.description for row in rows},
        unpublished=frozenset(row.name for row in rows if not row.is_published),
        models=frozenset(ModelConnection.objects.values_list("name", flat=True)),
        playbooks=frozenset(SCRIPTS),
        sandboxed=sandboxed_agents(project),
        skills=frozenset(Skill.objects.filter(project=project).values_list("name", flat=True)),
        has_price=has_price,
        schema_problem=schema_problem,
        complete=True,
    )


def _sources(project: Project, registry: Registry) -> Mapping[tuple[str, str], Source]:
    found = {}
    for row in ToolSource.objects.filter(project=project):
        kind = "openapi" if row.kind == ToolSource.Kind.OPENAPI else "mcp"
        tools = {tool.original: tool.spec.name for tool in registry.of_source(kind, row.name)}
        found[kind, row.name] = Source(tools, row.is_changed)
    return found
