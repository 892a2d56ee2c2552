"""Whether what an agent file grants comes together to untrusted reading, private data and sending out. Pure.

Source: security.md, law 6. While the agent runs, `taint.leak_of` goes by what was really read.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from runtime.domain.definition import Definition
from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.memory_words import template_keys
from runtime.domain.tool import Label
from runtime.domain.tool_source import SOURCES, only_of, source_of
from runtime.domain.yaml_node import MappingNode, SequenceNode

_READING = {"recall", "search_memory"}
_NAMED = 3


@dataclass(slots=True)
class _Reach:
    """Where each sort comes from: names of tools as the file has them, or words; `at`: the places of what sends."""

    untrusted: list[str] = field(default_factory=list)
    private: list[str] = field(default_factory=list)
    sends: list[str] = field(default_factory=list)
    at: list[int] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return bool(self.untrusted and self.private and self.sends)


def check_leaks(definition: Definition | None, root: MappingNode, known: Known, findings: Findings) -> None:
    """A hint at the first tool that sends out, if the agent can read both of the others as well."""
    reach = _reach(definition, known) if definition is not None else _Reach()
    tools = root.get("tools")
    if reach.is_whole and isinstance(tools, SequenceNode) and reach.at[0] < len(tools.items):
        findings.hint(
            tools.items[reach.at[0]],
            f"This agent can read what nobody vouches for ({_listed(reach.untrusted)}) and private data "
            f"({_listed(reach.private)}), and send to the outside ({_listed(reach.sends)}). Once it has read both, a "
            "person is asked before each call that sends; `approval: never` does not change that.",
        )


def leak_sentences(definition: Definition, known: Known) -> Iterator[str]:
    """What is said of it among the grants."""
    reach = _reach(definition, known)
    if reach.is_whole:
        sends = _listed(reach.sends)
        both = "private data and what nobody vouches for"
        yield f"Asks a person before it sends out by {sends}, once it has read {both}."


def _reach(definition: Definition, known: Known) -> _Reach:
    reach = _Reach()
    for place, grant in enumerate(definition.tools):
        labels = _labels(grant.name, grant.settings, known)
        shown = f"`{source_of(grant.name, grant.settings) if grant.name in SOURCES else grant.name}`"
        if Label.READS_UNTRUSTED in labels:
            reach.untrusted.append(shown)
        if Label.READS_PRIVATE in labels:
            reach.private.append(shown)
        if Label.SENDS_EXTERNAL in labels:
            reach.sends.append(shown)
            reach.at.append(place)
    policy = definition.memory
    if policy is not None and (
        policy.inject or _READING & {*policy.tools} or template_keys(definition.user_prompt_template)
    ):
        reach.private.append("its memory")
    if definition.triggers:
        reach.untrusted.append("its triggers")
    return reach


def _labels(name: str, settings: Mapping[str, Any], known: Known) -> set[Label]:
    """Of all tools that the entry stands for."""
    if name in SOURCES:
        source = known.sources.get((name, source_of(name, settings)))
        only = only_of(settings)
        tools = source.tools if source is not None else {}
        names = [here for there, here in tools.items() if only is None or there in only]
    else:
        names = list(known.tool_groups.get(name, (name,)))
    return {label for one in names if one in known.tools for label in known.tools[one].labels}


def _listed(names: list[str]) -> str:
    shown = names[:_NAMED]
    return ", ".join(shown) + (f" and {len(names) - len(shown)} more" if len(names) > len(shown) else "")
