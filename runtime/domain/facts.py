"""What the judging of a step needs to know beyond the trajectory, read just before the step is recorded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runtime.domain.arguments import canonical


@dataclass(frozen=True, slots=True)
class StandingGrant:
    """A leave that was given once for all: for a tool, in one session, for one agent, or for one argument value.

    `argument` is empty where every value is meant. `by` is the name of who gave it. `covers_taint`: it was given for
    calls that send out after untrusted content and private data were read, and so stands for them as well.
    """

    id: str
    tool: str
    by: str
    argument: str = ""
    value: Any = None
    covers_taint: bool = False

    def covers(self, tool: str, args: Mapping[str, Any]) -> bool:
        if self.tool != tool or not self.argument:
            return self.tool == tool
        return self.argument in args and canonical(args[self.argument]) == canonical(self.value)


@dataclass(frozen=True, slots=True)
class Published:
    """An agent's newest published version."""

    name: str
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Peer:
    """A living rollout of the same session. `may_interrupt`: a workflow lets this rollout's agent interrupt it."""

    rollout: str
    agent: str
    parent: str = ""
    may_interrupt: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """A person who takes part in the session."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Standing grants, agents by name, and who is in the session; a reply without such calls needs none of it."""

    grants: tuple[StandingGrant, ...] = ()
    agents: Mapping[str, Published] = field(default_factory=dict)
    peers: tuple[Peer, ...] = ()
    people: tuple[Person, ...] = ()


NO_FACTS = Facts()
