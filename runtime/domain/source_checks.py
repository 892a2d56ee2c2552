"""The API documents, tool servers and secrets that an agent file names, and rules that are looser than usual."""

from collections.abc import Iterator

from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.spelling import did_you_mean
from runtime.domain.tool_policy import stricter
from runtime.domain.tool_source import SOURCES, source_of
from runtime.domain.yaml_node import MappingNode, Node, ScalarNode, SequenceNode, child, plain_value

_WORDS = {"openapi": "API document", "mcp": "tool server"}


def check_sources(root: MappingNode, known: Known, findings: Findings) -> None:
    """Errors for what is not there, if what is known is complete; warnings for what is closed or without effect."""
    for item in _grants(root):
        name = child(item, "name")
        if not isinstance(name, ScalarNode):
            continue
        if name.text in SOURCES and known.complete:
            _check_source(name, child(item, "settings"), known, findings)
        elif name.text in known.tools:
            _check_rule(name, child(item, "approval"), known, findings)


def _grants(root: MappingNode) -> Iterator[Node]:
    tools = root.get("tools")
    yield from tools.items if isinstance(tools, SequenceNode) else ()


def _check_source(kind: ScalarNode, settings: Node | None, known: Known, findings: Findings) -> None:
    key, words = SOURCES[kind.text], _WORDS[kind.text]
    named = child(settings, key) if settings else None
    if not isinstance(named, ScalarNode):
        findings.error(kind, f"Say which {words} is meant: `{kind.text}: {{{key}: NAME}}`, as it is on the Tools page.")
        return
    name = source_of(kind.text, {key: named.text})
    source = known.sources.get((kind.text, name))
    if source is None:
        others = [other for at, other in known.sources if at == kind.text]
        meant = did_you_mean(name, others) or " Add it on the Tools page, or remove this entry."
        findings.error(named, f"There is no {words} `{name[:60]}`.{meant}")
        return
    if source.is_closed:
        findings.warning(
            named, f"The tools of `{name}` are closed: it changed what it says of them. See the Tools page."
        )
    for item in _only(settings):
        if item.text not in source.tools:
            meant = did_you_mean(item.text, source.tools) or " Choose it on the Tools page, or remove it here."
            findings.error(item, f"`{name}` has no tool `{item.text[:60]}`.{meant}")
    auth = child(settings, "auth") if settings else None
    secret = child(auth, "secret") if auth else None
    if isinstance(secret, ScalarNode) and secret.text not in known.secrets:
        meant = did_you_mean(secret.text, known.secrets) or " An administrator can store it under Settings, Secrets."
        findings.error(secret, f"There is no secret `{secret.text[:60]}`.{meant}")


def _only(settings: Node | None) -> Iterator[ScalarNode]:
    only = child(settings, "only") if settings else None
    for item in only.items if isinstance(only, SequenceNode) else ():
        if isinstance(item, ScalarNode):
            yield item


def _check_rule(name: ScalarNode, approval: Node | None, known: Known, findings: Findings) -> None:
    usual = known.tools[name.text].usual
    if usual is None or not isinstance(approval, ScalarNode):
        return
    wanted = str(plain_value(approval)).strip()
    if wanted in ("never", "once") and stricter(usual.approval, wanted) != wanted:
        sentence = f"`{name.text}` asks a person more often than this by itself, and an agent can only be stricter."
        findings.warning(approval, f"{sentence} Its own rule stays.")
