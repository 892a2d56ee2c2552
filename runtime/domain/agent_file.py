"""An agent file: its text, what it means, and what is wrong with it. The author's text is the truth.

Source: agent-file.md.
"""

from dataclasses import dataclass, field

from pydantic import ValidationError

from runtime.domain.acting import report_not_acting
from runtime.domain.agent_checks import check_agents
from runtime.domain.approver_checks import check_approvers
from runtime.domain.budget_checks import check_budget
from runtime.domain.canonical import canonical
from runtime.domain.circle_checks import check_circles
from runtime.domain.condition_checks import check_conditions
from runtime.domain.definition import Definition
from runtime.domain.definition_problems import report_errors
from runtime.domain.findings import Findings
from runtime.domain.granted import granted_sentences
from runtime.domain.known import Known
from runtime.domain.leak_checks import check_leaks
from runtime.domain.memory_checks import check_memory
from runtime.domain.name_checks import check_names
from runtime.domain.problem import Problem, Severity
from runtime.domain.sandboxed import check_sandboxed
from runtime.domain.schema_checks import check_schemas
from runtime.domain.secret_checks import report_secrets
from runtime.domain.setting_checks import check_settings
from runtime.domain.skill_checks import check_skills
from runtime.domain.source_checks import check_sources
from runtime.domain.stand_in_checks import check_stand_ins
from runtime.domain.state_checks import check_states
from runtime.domain.state_tool_checks import check_state_tools
from runtime.domain.template_checks import check_template
from runtime.domain.text_lines import TextLines
from runtime.domain.trigger_checks import check_triggers
from runtime.domain.variable_checks import check_variables
from runtime.domain.yaml_node import MappingNode, plain_value
from runtime.domain.yaml_text import AGENT_FILE_LIMITS, YamlLimits, decode_text, read_yaml


@dataclass(frozen=True, slots=True)
class AgentFile:
    """A text that was read. `definition` is None when the text is refused; `granted` says what it lets the agent do."""

    text: str
    definition: Definition | None
    problems: tuple[Problem, ...]
    granted: tuple[str, ...] = ()
    document: MappingNode | None = field(default=None, repr=False)

    @property
    def is_loadable(self) -> bool:
        """Whether the text says what the agent is, so that a draft of it can be tried."""
        return self.definition is not None

    @property
    def is_publishable(self) -> bool:
        """Whether a version can be made of it: nothing is wrong, hints and warnings aside."""
        return self.is_loadable and not self.errors

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep it from being published."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)


def decode_agent_file(data: bytes, limits: YamlLimits = AGENT_FILE_LIMITS) -> str | Problem:
    """The text of a file, byte order mark and line ends as they are, or the problem that keeps it from being read."""
    return decode_text(data, limits)


def read_agent_file(text: str, known: Known | None = None) -> AgentFile:
    """What an agent file means. Never raises: what is wrong with a text is in `problems`, in its order."""
    known = known or Known()
    yaml_text = read_yaml(text, known.limits)
    if yaml_text.problems:
        document = yaml_text.root if isinstance(yaml_text.root, MappingNode) else None
        return AgentFile(text, None, yaml_text.problems, document=document)
    if not isinstance(yaml_text.root, MappingNode):
        return AgentFile(text, None, (_no_mapping(yaml_text.lines),))
    if yaml_text.root.get("workflow") is not None:
        return AgentFile(text, None, (_workflow(yaml_text.lines),), document=yaml_text.root)
    return _read_document(text, yaml_text.root, Findings(yaml_text.lines), known)


def _read_document(text: str, document: MappingNode, findings: Findings, known: Known) -> AgentFile:
    report_secrets(document, findings)
    root = canonical(document, findings)
    check_settings(root, known, findings)
    check_sources(root, known, findings)
    definition = _definition(root, findings)
    check_template(root, findings)
    check_states(root, findings)
    check_variables(root, findings)
    check_names(root, known, findings)
    check_skills(root, known, findings)
    check_schemas(root, known, findings)
    check_state_tools(root, known, findings)
    check_conditions(root, known, findings)
    check_approvers(root, findings)
    check_stand_ins(root, known, findings)
    check_sandboxed(root, known, findings)
    check_agents(root, known, findings)
    check_circles(root, known, findings)
    check_budget(root, known, findings)
    check_memory(root, findings)
    check_triggers(root, known, findings)
    check_leaks(definition, root, known, findings)
    report_not_acting(root, findings)
    granted = granted_sentences(definition, known) if definition else ()
    return AgentFile(text, definition, findings.sorted(), granted, document)


def _definition(root: MappingNode, findings: Findings) -> Definition | None:
    refused = findings.has_errors()
    try:
        definition = Definition.model_validate(plain_value(root))
    except ValidationError as error:
        report_errors(error.errors(include_url=False, include_input=False), root, findings)
        return None
    return None if refused else definition


def _no_mapping(lines: TextLines) -> Problem:
    sentence = "There is no agent here yet. Begin with `name: assistant` and `model: openai/gpt-4.1-mini`."
    return lines.problem(Severity.ERROR, 0, 0, path=(), message=sentence)


def _workflow(lines: TextLines) -> Problem:
    sentence = "This is a workflow file, and no agent. Write an agent file, which begins with `name:`."
    return lines.problem(Severity.ERROR, 0, 0, path=(), message=sentence)
