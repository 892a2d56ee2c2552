"""What guards the grants of an agent file, in sentences: who is asked, what stands in, how much may be spent."""

from collections.abc import Iterator, Sequence

from runtime.domain.definition import Definition, ToolGrant
from runtime.domain.sandboxed import SANDBOXED
from runtime.domain.tool_policy import ALWAYS, NEVER, ONCE, default_approval


def guarded_sentences(definition: Definition) -> Iterator[str]:
    """One sentence for each guard, in the order of the file."""
    mode = default_approval(definition)
    if mode != NEVER:
        yield f"Asks a person before a tool that writes{_when(mode)}, unless the tool has a rule of its own."
    for grant in definition.tools:
        yield from _of_tool(grant, asks_anyway=mode != NEVER)
    if definition.states is not None:
        yield from _of_states(definition)
    budget = definition.limits.budget
    if budget is not None:
        tokens = f"{budget.tokens:,} tokens" if budget.tokens else ""
        usd = f"US${budget.usd:.2f}" if budget.usd else ""
        yield f"May use at most {' and '.join(part for part in (tokens, usd) if part)}, with the agents that it calls."


def _of_tool(grant: ToolGrant, *, asks_anyway: bool) -> Iterator[str]:
    approval = (grant.approval or "").strip()
    if approval == NEVER and (asks_anyway or grant.name in SANDBOXED):
        yield f"Asks nobody before `{grant.name}`."
    elif not approval and grant.name in SANDBOXED and not asks_anyway:
        yield f"Asks {_who(grant)} before `{grant.name}`{_not_oneself(grant)}."
    elif approval not in ("", NEVER):
        yield f"Asks {_who(grant)} before `{grant.name}`{_when(approval)}{_not_oneself(grant)}."
    if grant.fallback:
        yield f"Uses `{grant.fallback}` where `{grant.name}` fails."
    if grant.rollback:
        yield f"Undoes `{grant.name}` by `{grant.rollback}` when its work is cancelled."


def _of_states(definition: Definition) -> Iterator[str]:
    assert definition.states is not None
    for name, state in definition.states.states.items():
        for way in state.transitions:
            if way.approval not in (None, NEVER):
                yield f"Asks a person before it moves from `{name}` to `{way.to}`{_when(way.approval or ALWAYS)}."


def _when(approval: str) -> str:
    if approval == ALWAYS:
        return ""
    return ", once a session" if approval == ONCE else f" if `{' '.join(approval.split())}`"


def _who(grant: ToolGrant) -> str:
    names = _listed(grant.approvers)
    needed = grant.approvals_needed or 1
    if not names:
        return "a person" if needed == 1 else f"{needed} people"
    return names if needed == 1 and len(grant.approvers) == 1 else f"{_count(needed)} of {names}"


def _count(needed: int) -> str:
    return "one" if needed == 1 else str(needed)


def _not_oneself(grant: ToolGrant) -> str:
    return ", never the one who led to it" if grant.self_approval is False else ""


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}" if names else ""
