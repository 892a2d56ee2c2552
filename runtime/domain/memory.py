"""The long-term memory of a person: values by key, each in numbered versions. Source: runtime.md, 10."""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple

from runtime.domain.definition import MemoryPolicy
from runtime.domain.text import clean

SHARED = "user"
"""The namespace that all agents share."""
KEY_CHARACTERS = 100
VALUE_CHARACTERS = 4000
KEYS_AT_MOST = 500
KEY = re.compile(rf"[a-z0-9_][a-z0-9_.\-]{{0,{KEY_CHARACTERS - 1}}}")
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """Whose memory in a project (the person's public id), and of which namespace: `user`, or `agent:NAME`."""

    project: str
    owner: str
    namespace: str

    def ref(self, memory: "Memory") -> "MemoryRef":
        """That version of this scope, by name."""
        return MemoryRef(self.owner, self.namespace, memory.key, memory.version, memory.sha256)


@dataclass(frozen=True, slots=True)
class Memory:
    """One version of a value; None if that version forgets the key, or was erased. `at` in microseconds.

    `is_tainted`: written after untrusted content was read, and confirmed by nobody.
    """

    key: str
    version: int
    value: str | None
    sha256: str
    at: int = 0
    is_tainted: bool = False


class MemoryRef(NamedTuple):
    """A version by name, as events have it."""

    owner: str
    namespace: str
    key: str
    version: int
    sha256: str


Values = Mapping[MemoryRef, str]
"""What stands behind the names in events, read from the memory; what is not there was erased."""

NO_VALUES: Values = {}


@dataclass(frozen=True, slots=True)
class MemoryWrite:
    """A new version of a key; it is written only if the version before it is still the newest. `value` None forgets.

    `rollout`, `seq` and `at` (microseconds): the event that records it; else `by` is the public id of who wrote it.
    """

    scope: MemoryScope
    key: str
    version: int
    value: str | None
    is_tainted: bool = False
    rollout: str = ""
    seq: int = 0
    at: int = 0
    by: str = ""

    @property
    def sha256(self) -> str:
        return value_sha256(self.value)

    @property
    def memory(self) -> Memory:
        """The version as it is once it is written."""
        return Memory(self.key, self.version, self.value, self.sha256, self.at, self.is_tainted)

    @property
    def ref(self) -> MemoryRef:
        return self.scope.ref(self.memory)


def value_sha256(value: str | None) -> str:
    return "" if value is None else hashlib.sha256(value.encode()).hexdigest()


def namespace_of(policy: MemoryPolicy, agent: str) -> str:
    """The namespace that the agent reads and writes."""
    return SHARED if policy.namespace == SHARED else f"agent:{agent}"


def key_of(text: str) -> str:
    """The key as it is kept: without capitals and outer blanks."""
    return clean(text).strip().lower()


def key_problem(key: str) -> str:
    """Why it is no key; empty if it is one."""
    if KEY.fullmatch(key):
        return ""
    return (
        f"`{key[:60]}` is no key. A key has letters a-z, digits, dots, dashes and underscores, at most "
        f"{KEY_CHARACTERS} of them, such as orders.last."
    )


def is_matched(key: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns covers the key; `*` stands for anything."""
    return any(fnmatchcase(key, pattern.lower()) for pattern in patterns)


def shown(memories: Iterable[Memory]) -> list[Memory]:
    """Those that have a value."""
    return [memory for memory in memories if memory.value is not None]


@dataclass(frozen=True, slots=True)
class Injection:
    """What of the memory goes into a prompt, with its scopes, and how many values were left out for want of room."""

    memories: tuple[tuple[MemoryScope, Memory], ...] = ()
    left_out: int = 0


def injected(wanted: Iterable[tuple[MemoryScope, Memory]], max_tokens: int) -> Injection:
    """As many of these, in their order, as the tokens hold. Of a key that stands in two scopes the first is taken."""
    chosen: dict[str, tuple[MemoryScope, Memory]] = {}
    left, left_out = max_tokens, 0
    for scope, memory in wanted:
        if memory.key in chosen:
            continue
        cost = tokens_of(memory)
        if cost > left:
            left_out += 1
            continue
        chosen[memory.key] = scope, memory
        left -= cost
    return Injection(tuple(chosen.values()), left_out)


def matching(memories: Collection[Memory], patterns: Sequence[str]) -> list[Memory]:
    """Values of these patterns, in the order of the patterns, then the newest first.

    Tainted ones wait until they are confirmed.
    """
    wanted: dict[str, Memory] = {}
    for pattern in patterns:
        of_pattern = (one for one in shown(memories) if not one.is_tainted and is_matched(one.key, (pattern,)))
        wanted |= {one.key: one for one in sorted(of_pattern, key=lambda one: (-one.at, one.key))}
    return list(wanted.values())


def tokens_of(memory: Memory) -> int:
    """An estimate of what the value takes in a prompt, with its key."""
    return 1 + (len(memory.key) + len(memory.value or "")) // _CHARACTERS_PER_TOKEN
