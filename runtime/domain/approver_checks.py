"""Who may approve: words that name a role, and settings that ask for more people than there are."""

from runtime.domain.findings import Findings
from runtime.domain.machine_nodes import text_of
from runtime.domain.spelling import nearest
from runtime.domain.yaml_node import MappingNode, ScalarNode, SequenceNode

ROLES = ("supervisors", "admins", "owner")
_SINGULAR = {"supervisor": "supervisors", "admin": "admins", "administrator": "admins", "administrators": "admins",
             "owners": "owner"}  # fmt: skip
_SETTINGS = ("approvers", "approvals_needed", "self_approval", "approval_expires")


def check_approvers(root: MappingNode, findings: Findings) -> None:
    """Warnings for misspelt roles, for too few people, and for approvers of what is never asked about."""
    tools = root.get("tools")
    has_mode = root.get("approval_mode") is not None
    for tool in tools.items if isinstance(tools, SequenceNode) else ():
        if isinstance(tool, MappingNode):
            _check_roles(tool, findings)
            _check_count(tool, findings)
            _check_use(tool, findings, has_mode=has_mode)


def _check_roles(tool: MappingNode, findings: Findings) -> None:
    approvers = tool.get("approvers")
    for item in approvers.items if isinstance(approvers, SequenceNode) else ():
        name = text_of(item)
        if name is None or name.text in ROLES:
            continue
        role = _SINGULAR.get(name.text.lower()) or nearest(name.text, ROLES)
        if role:
            sentence = f"`{name.text[:60]}` is read as the name of a person. The role is called `{role}`."
            findings.warning(name, sentence)


def _check_count(tool: MappingNode, findings: Findings) -> None:
    approvers, needed = tool.get("approvers"), tool.get("approvals_needed")
    if not isinstance(approvers, SequenceNode) or not isinstance(needed, ScalarNode):
        return
    names = {item.text for item in approvers.items if isinstance(item, ScalarNode)}
    if isinstance(needed.value, int) and not names & {"supervisors", "admins"} and 0 < len(names) < needed.value:
        sentence = f"{needed.value} people must approve and only {len(names)} may. Name more, or ask for fewer."
        findings.error(needed, sentence)


def _check_use(tool: MappingNode, findings: Findings, *, has_mode: bool) -> None:
    approval = text_of(tool.get("approval"))
    is_never = approval.text.strip() == "never" if approval else not has_mode
    for name in _SETTINGS if is_never else ():
        entry = tool.entry(name)
        if entry is not None:
            findings.warning(
                entry.key, f"`{name}` has no effect, for nobody is ever asked. Add `approval: always` or a condition."
            )
