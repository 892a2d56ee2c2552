"""What the editor shows of one text: the form's sections, the problems, and what the text would let the agent do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone

from runtime.domain.agent_file import AgentFile
from runtime.domain.problem import Problem, Severity
from runtime.domain.template import ALWAYS_KNOWN, compile_template
from runtime.domain.yaml_node import MappingNode, ScalarNode
from runtime.domain.yaml_text import read_yaml
from runtime.providers.playbooks import SCRIPTS
from studio.models import Agent, ModelConnection
from studio.queries.agents import draft_state
from studio.queries.known import registry_of
from studio.queries.state_counts import rollouts_in_states
from studio.services.agents import check
from studio.web.editor_agents import agent_choices, agent_rows
from studio.web.editor_form import SECTIONS, canonical_root, fields
from studio.web.editor_states import states_form
from studio.web.editor_tools import tool_choices, tool_rows
from studio.web.editor_triggers import TRIGGER_CHOICES, trigger_rows
from studio.web.plain_words import changes_to
from studio.web.typed_text import as_typed

EXAMPLE: dict[str, object] = {
    "state": "",
    "vars": {},
    "memory": {},
    "user": {"name": "Maya"},
    "input": "My bench came with a broken leg. Order 48213.",
    "plan": "",
}
SECTION_NAMES = ("identity", "instructions", "model", "tools", "agents", "memory", "states", "limits", "triggers")
TITLES = {
    "identity": ("Identity", "id-card", "i"),
    "instructions": ("Instructions", "scroll-text", "n"),
    "model": ("Model", "cpu", "m"),
    "tools": ("Tools", "wrench", "t"),
    "agents": ("Sub-agents", "git-fork", "b"),
    "memory": ("Memory", "book-user", "y"),
    "states": ("States", "flag", "s"),
    "limits": ("Limits", "gauge", "l"),
    "triggers": ("Triggers", "webhook", "w"),
}
ROOT_KEYS = {key: section for section, controls in SECTIONS.items() for key in {c.path.split(".")[0] for c in controls}}
ROOT_KEYS |= {
    "agents": "agents",
    "states": "states",
    "tools": "tools",
    "long_term_memory": "memory",
    "mcp_servers": "tools",
    "max_tool_calls": "limits",
    "max_concurrent_tools": "limits",
    "triggers": "triggers",
}
PARTS = {
    "sections": "agents/_sections.html",
    "ready": "agents/_ready.html",
    "draft-state": "agents/_draft_state.html",
    "publish-changes": "agents/_publish_changes.html",
    **{f"section-{name}": f"agents/_section_{name}.html" for name in SECTION_NAMES},
}


@dataclass(frozen=True, slots=True)
class SectionLink:
    """One line of the list of sections; G and its `key` lead there."""

    name: str
    title: str
    icon: str
    key: str
    count: int
    errors: int


def page_context(agent: Agent, text: str, file: AgentFile | None = None) -> dict[str, Any]:
    """The context of every part of the editor for this text, saved or not."""
    file = file or check(agent.project, text, agent)
    state = draft_state(agent, text)
    locked = locked_sentence(file)
    root = None if locked else canonical_root(file)
    registry = registry_of(agent.project)
    rows = tool_rows(file, registry) if root is not None else []
    agents = agent_rows(file) if root is not None else []
    states = states_form(file, rollouts_in_states(agent)) if root is not None else None
    triggers = trigger_rows(agent, file) if root is not None else []
    return {
        "agent": agent,
        "text": text,
        "file": file,
        "state": state,
        "changes": changes_to(as_typed(state.live_text), text, root) if state.live_number else [],
        "errors": file.errors,
        "warnings": [problem for problem in file.problems if problem.severity is Severity.WARNING],
        "locked": locked,
        "section_links": _section_links(
            file,
            {
                "tools": len(rows),
                "agents": len(agents),
                "states": len(states.states) if states else 0,
                "triggers": len(triggers),
            },
        ),
        "fields": fields(file, root) if root is not None else {},
        "tool_rows": rows,
        "tool_choices": tool_choices(rows, registry),
        "agent_rows": agents,
        "agent_choices": agent_choices(agent.project, agent.name, agents),
        "states": states,
        "trigger_rows": triggers,
        "trigger_choices": TRIGGER_CHOICES,
        "filled": filled(root),
        "placeholders": [name for name in ALWAYS_KNOWN if not name.endswith("*")],
        "models": model_names(),
        "model_word": model_word(root),
        "granted": file.granted,
    }


def parts(context: dict[str, Any]) -> dict[str, str]:
    """The parts of the page by id; a form that is locked keeps what it showed last."""
    wanted = {"sections", "ready", "draft-state", "publish-changes"} if context["locked"] else set(PARTS)
    return {name: render_to_string(path, context) for name, path in PARTS.items() if name in wanted}


def filled(root: MappingNode | None) -> str:
    """The prompt template with example values; nothing without one."""
    node = root.get("user_prompt_template") if root is not None else None
    if not isinstance(node, ScalarNode) or not isinstance(node.value, str):
        return ""
    now = timezone.now().replace(microsecond=0).isoformat()
    return compile_template(node.text).render(EXAMPLE | {"now": now}).strip()


def problem_data(problem: Problem) -> dict[str, Any]:
    """A problem for the browser; a fix counts in characters of the text that was checked."""
    fix = problem.fix
    return {
        "severity": problem.severity.value,
        "line": problem.line,
        "column": problem.column,
        "end_line": problem.end_line,
        "end_column": problem.end_column,
        "path": problem.path,
        "message": problem.message,
        "fix": {"title": fix.title, "start": fix.start, "end": fix.end, "text": fix.text} if fix else None,
    }


def locked_sentence(file: AgentFile) -> str:
    """Why the form cannot be used now, or nothing."""
    if file.definition is not None:
        return ""
    if file.document is not None and not read_yaml(file.text).problems:
        return ""
    line = file.problems[0].line if file.problems else 1
    return f"Fix line {line} in the YAML to edit here. Nothing is lost."


def model_names() -> list[str]:
    """The models that can be chosen without typing: connections, then scripted ones."""
    connections = ModelConnection.objects.order_by("name").values_list("name", flat=True)
    return [*connections, *(f"playbook/{name}" for name in SCRIPTS)]


def model_word(root: MappingNode | None) -> str:
    """What is known of reaching the model: a connection's last check, or that a script needs no key."""
    node = root.get("model") if root is not None else None
    model = node.text if isinstance(node, ScalarNode) else ""
    if model.startswith("playbook/"):
        return "scripted, needs no key"
    connection = ModelConnection.objects.defer("encrypted_key").filter(name=model).first()
    if connection is None:
        return ""
    if connection.checked_at is None:
        return "not tested yet"
    return "did not answer" if connection.check_result else "key works"


def _section_links(file: AgentFile, parts_of: Mapping[str, int]) -> list[SectionLink]:
    counts = dict.fromkeys(SECTION_NAMES, 0)
    for problem in file.errors:
        section = ROOT_KEYS.get(problem.path.split(".")[0])
        if section:
            counts[section] += 1
    return [
        SectionLink(name, *TITLES[name], count=parts_of.get(name, 0), errors=counts[name]) for name in SECTION_NAMES
    ]
