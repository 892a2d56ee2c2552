"""What an agent file says of a tool, laid over what the tool declares."""

from dataclasses import replace

from runtime.domain.definition import Definition, ToolGrant
from runtime.domain.tool import Access, ApprovalPolicy, ToolSpec

NEVER, ALWAYS, ONCE = "never", "always", "once"
APPROVAL_WORDS = (NEVER, ALWAYS, ONCE)
MODES = {
    **dict.fromkeys(("never", "auto", "autonomous", "full"), NEVER),
    **dict.fromkeys(("always", "ask", "manual", "supervised"), ALWAYS),
    **dict.fromkeys(("once", "session"), ONCE),
}
"""The words of `approval_mode`, which is also Flux's `autonomy`: when a person is asked before a writing tool."""


def default_approval(definition: Definition) -> str:
    """When a person is asked before the tools that write, where nothing is said of the tool itself."""
    mode = definition.approval_mode or NEVER
    return MODES.get(mode.strip().lower(), mode)


def with_default(spec: ToolSpec, approval: str) -> ToolSpec:
    """The declared tool, gated by the file's default if it writes."""
    if spec.framework or spec.access is Access.READ or approval == NEVER:
        return spec
    return within_usual(replace(spec, approval=replace(spec.approval, when=approval)))


def under_policy(spec: ToolSpec, grant: ToolGrant) -> ToolSpec:
    """The tool as this grant has it; what the grant leaves out is as it was, and no usual rule is loosened."""
    changed = replace(
        spec,
        timeout_seconds=spec.timeout_seconds if grant.timeout_seconds is None else grant.timeout_seconds,
        retries=spec.retries if grant.retries is None else grant.retries,
        idempotent=spec.idempotent if grant.idempotent is None else grant.idempotent,
        runs_async=spec.runs_async if grant.mode is None else grant.mode == "async",
        approval=_approval(spec.approval, grant),
        fallback=spec.fallback if grant.fallback is None else grant.fallback,
        rollback=spec.rollback if grant.rollback is None else grant.rollback,
        on_interrupt=spec.on_interrupt if grant.on_interrupt is None else grant.on_interrupt,
    )
    return within_usual(changed)


def within_usual(spec: ToolSpec) -> ToolSpec:
    """The tool with each of its rules at least as strict as the usual ones."""
    usual = spec.usual
    if usual is None:
        return spec
    return replace(
        spec,
        timeout_seconds=min(spec.timeout_seconds, usual.timeout_seconds),
        retries=min(spec.retries, usual.retries),
        idempotent=spec.idempotent and usual.idempotent,
        approval=replace(spec.approval, when=stricter(usual.approval, spec.approval.when)),
    )


def stricter(usual: str, wanted: str) -> str:
    """The rule that asks a person whenever one of the two would."""
    if NEVER in (usual, wanted):
        return wanted if usual == NEVER else usual
    if usual == wanted:
        return usual
    if ALWAYS in (usual, wanted) or ONCE in (usual, wanted):
        return ALWAYS
    return f"({usual}) || ({wanted})"


def _approval(policy: ApprovalPolicy, grant: ToolGrant) -> ApprovalPolicy:
    expires = grant.approval_expires
    return replace(
        policy,
        when=policy.when if grant.approval is None else grant.approval.strip(),
        approvers=grant.approvers or policy.approvers,
        needed=policy.needed if grant.approvals_needed is None else grant.approvals_needed,
        allows_self=policy.allows_self if grant.self_approval is None else grant.self_approval,
        expires_seconds=policy.expires_seconds if expires is None else expires.after_seconds,
        then=policy.then if expires is None else expires.then,
    )
