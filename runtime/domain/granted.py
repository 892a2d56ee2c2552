"""What an agent file grants, in sentences for the person who publishes it."""

from collections.abc import Iterator

from runtime.domain.definition import Definition, ToolGrant
from runtime.domain.guarded import guarded_sentences
from runtime.domain.known import Known
from runtime.domain.leak_checks import leak_sentences
from runtime.domain.memory import SHARED
from runtime.domain.sandboxed import SANDBOXED
from runtime.domain.tool_source import SOURCES, only_of, source_of

_GROUPS = {
    "files": "May list, read, write, change, move and delete files in its workspace{workspace}.",
    "search": "May search the names and contents of files in its workspace{workspace}.",
    "clock": "May read the date and time.",
    "calculator": "May do arithmetic.",
    "http": "May fetch pages from and send requests to public addresses on the internet.",
    "http_get": "May fetch pages from public addresses on the internet.",
    "shell": "May run commands in the sandbox, in {workspace}.",
    "python": "May run Python programs in the sandbox, in {workspace}.",
    "http_request": "May send requests to public addresses on the internet.",
}


def granted_sentences(definition: Definition, known: Known) -> tuple[str, ...]:
    """One sentence for each grant, and for what guards it; one that says so when there is none."""
    sentences = [sentence for grant in definition.tools if (sentence := _sentence(grant, known))]
    sentences += _agents(definition)
    sentences += _plan(definition)
    if sentences or definition.states:
        sentences.append("May set timers, write to people in its session, and ask supervisors.")
    sentences += _memory(definition)
    sentences += guarded_sentences(definition)
    sentences += leak_sentences(definition, known)
    return tuple(dict.fromkeys(sentences)) or ("May use no tools.",)


def _memory(definition: Definition) -> Iterator[str]:
    policy = definition.memory
    if policy is None:
        return
    whose = "that all agents share" if policy.namespace == SHARED else "kept for this agent"
    if {"remember", "forget"} & {*policy.tools}:
        yield f"May keep and forget things about the person it talks to, in the memory {whose}."
    if {"recall", "search_memory"} & {*policy.tools}:
        yield f"May read what is remembered about the person it talks to, in the memory {whose}."
    if policy.inject:
        keys = "everything" if "*" in policy.inject else ", ".join(f"`{key}`" for key in policy.inject)
        yield f"Is shown {keys} of that memory in each prompt, at most {policy.max_inject_tokens} tokens."


def _plan(definition: Definition) -> Iterator[str]:
    if definition.planning.enabled:
        leave = "; new or changed steps need a person's leave" if definition.planning.approval else ""
        yield f"May keep a plan{leave}."


def _agents(definition: Definition) -> Iterator[str]:
    limits = definition.limits
    if definition.agents:
        names = ", ".join(f"`{grant.name}`" for grant in definition.agents)
        many = "agent" if len(definition.agents) == 1 else "agents"
        bounds = f"at most {limits.max_children} at once, {limits.max_depth} deep"
        yield f"May call the {many} {names}, {bounds}."


def _sentence(grant: ToolGrant, known: Known) -> str:
    if grant.name in SOURCES:
        return _of_source(grant, known)
    if grant.name in _GROUPS:
        workspace = grant.settings.get("workspace")
        where = f" (`{workspace}`)" if isinstance(workspace, str) else ""
        if grant.name in SANDBOXED:
            where = f"its workspace{where}" if workspace else "a folder of the session's own"
        return _GROUPS[grant.name].format(workspace=where)
    if grant.name in known.tools:
        said = known.tools[grant.name].description.strip().split("\n", 1)[0].rstrip(".")
        return f"May use `{grant.name}`: {said}."
    if grant.name in known.tool_groups:
        return f"May use the tools of `{grant.name}`: {', '.join(known.tool_groups[grant.name])}."
    return f"May use `{grant.name}`."


def _of_source(grant: ToolGrant, known: Known) -> str:
    name = source_of(grant.name, grant.settings)
    source = known.sources.get((grant.name, name))
    only = only_of(grant.settings)
    tools = ", ".join(source.tools if source and only is None else only or ())
    return f"May use the tools of `{name}`{': ' + tools if tools else ''}."
