"""A workflow file: its text, what it means, and what is wrong with it. It begins with `workflow:`."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import ValidationError

from runtime.domain.canonical import stripped
from runtime.domain.definition_problems import report_errors
from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.problem import Problem, Severity
from runtime.domain.secret_checks import report_secrets
from runtime.domain.spelling import did_you_mean
from runtime.domain.workflow import Workflow
from runtime.domain.yaml_node import MappingNode, Node, ScalarNode, SequenceNode, plain_value
from runtime.domain.yaml_text import read_yaml

KEY = "workflow"


@dataclass(frozen=True, slots=True)
class WorkflowFile:
    """A text that was read. `workflow` is None when the text is refused."""

    text: str
    workflow: Workflow | None
    problems: tuple[Problem, ...]
    document: MappingNode | None = field(default=None, repr=False)

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep it from being used."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)

    @property
    def is_usable(self) -> bool:
        """Whether sessions can be started by it."""
        return self.workflow is not None and not self.errors


def is_workflow_text(text: str) -> bool:
    """Whether a text is a workflow file, right or wrong, and not an agent file."""
    root = read_yaml(text).root
    return isinstance(root, MappingNode) and root.get(KEY) is not None


def read_workflow_file(text: str, known: Known | None = None) -> WorkflowFile:
    """What a workflow file means. Never raises: what is wrong with a text is in `problems`, in its order."""
    known = known or Known()
    yaml_text = read_yaml(text, known.limits)
    document = yaml_text.root if isinstance(yaml_text.root, MappingNode) else None
    if yaml_text.problems:
        return WorkflowFile(text, None, yaml_text.problems, document)
    if document is None or document.get(KEY) is None:
        sentence = "There is no workflow here yet. Begin with `workflow: support`, `agents: […]` and `entry: …`."
        problem = yaml_text.lines.problem(Severity.ERROR, 0, 0, path=(), message=sentence)
        return WorkflowFile(text, None, (problem,), document)
    findings = Findings(yaml_text.lines)
    report_secrets(document, findings)
    root = stripped(document)
    assert isinstance(root, MappingNode), "stripping leaves a mapping a mapping"
    workflow = _workflow(root, findings)
    _check_names(root, known, findings)
    _report_no_chat(root, findings)
    return WorkflowFile(text, workflow, findings.sorted(), document)


def _workflow(root: MappingNode, findings: Findings) -> Workflow | None:
    refused = findings.has_errors()
    try:
        workflow = Workflow.model_validate(plain_value(root))
    except ValidationError as error:
        report_errors(error.errors(include_url=False, include_input=False), root, findings, Workflow)
        return None
    return None if refused else workflow


def _check_names(root: MappingNode, known: Known, findings: Findings) -> None:
    listed = list(_texts(root.get("agents")))
    names = [name.text for name in listed]
    for at, name in enumerate(listed):
        if name.text in names[:at]:
            findings.error(name, f"The agent `{name.text[:60]}` is listed twice. Keep one of them.")
        elif known.complete and name.text not in known.agents:
            meant = did_you_mean(name.text, known.agents) or " Add that agent first, or remove the name."
            findings.error(name, f"There is no agent `{name.text[:60]}`.{meant}")
        elif name.text in known.unpublished:
            sentence = f"The agent `{name.text}` has no published version yet, so no session can start. Publish it."
            findings.warning(name, sentence)
    for name in (*_texts(root.get("entry")), *_of_interrupts(root, findings)):
        if name.text not in names:
            meant = did_you_mean(name.text, names) or " Add it to `agents`."
            findings.error(name, f"`{name.text[:60]}` is not among the agents of this workflow.{meant}")


def _of_interrupts(root: MappingNode, findings: Findings) -> Iterator[ScalarNode]:
    lists = root.get("may_interrupt")
    for entry in lists.entries if isinstance(lists, MappingNode) else ():
        yield entry.key
        for name in _texts(entry.value):
            if name.text == entry.key.text:
                findings.warning(name, f"`{name.text[:60]}` would interrupt itself. Remove it here.")
            else:
                yield name


def _report_no_chat(root: MappingNode, findings: Findings) -> None:
    entry = root.get("entry")
    if isinstance(entry, MappingNode) and entry.get("chat") is None:
        findings.warning(entry, "Nobody can start a chat by this workflow. Add `chat: NAME`.")


def _texts(node: Node | None) -> Iterator[ScalarNode]:
    """The texts of a list, of the values of a mapping, or the one that stands there."""
    match node:
        case ScalarNode(value=str()):
            yield node
        case SequenceNode():
            for item in node.items:
                yield from _texts(item)
        case MappingNode():
            for entry in node.entries:
                yield from _texts(entry.value)
