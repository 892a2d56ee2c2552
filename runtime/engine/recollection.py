"""The memory as one rollout uses it: read before a step that is shown it, and before calls that ask for it."""

from collections.abc import Mapping

from runtime.domain.agent import MEMORY_CALLS, Agent
from runtime.domain.arguments import parse
from runtime.domain.decide import decide
from runtime.domain.effects import CallModel, Recall
from runtime.domain.events import MemoryRecalled
from runtime.domain.memory import (
    NO_VALUES,
    Injection,
    Memory,
    MemoryScope,
    Values,
    injected,
    matching,
    namespace_of,
)
from runtime.domain.memory_calls import entry_of, queries
from runtime.domain.reply import Reply
from runtime.domain.state import State
from runtime.domain.trajectory import Draft
from runtime.engine.change import Change
from runtime.engine.shell import Shell
from runtime.ports import RolloutInfo


class Recollection:
    """Of one rollout. `values`: what stands behind the names in its next prompt. `memory` and `found`: what the calls
    that are about to be judged look at, by key and by query.
    """

    def __init__(self, info: RolloutInfo, agent: Agent, shell: Shell) -> None:
        self._info, self._agent, self._shell = info, agent, shell
        self.values: Values = NO_VALUES
        self.memory: Mapping[str, Memory] = {}
        self.found: Mapping[str, tuple[Memory, ...]] = {}

    def scope(self, state: State) -> MemoryScope | None:
        """The memory that the turn may use; None if there is nobody behind it."""
        owner, policy = state.ownership.owner, self._agent.memory
        if not owner or policy is None:
            return None
        return MemoryScope(self._info.project, owner, namespace_of(policy, self._agent.name))

    async def look_up(self, state: State, reply: Reply) -> None:
        """Read what the calls of this reply ask for."""
        scope = self.scope(state)
        asked = [(call.name, parse(call.arguments)) for call in reply.calls.values() if call.name in MEMORY_CALLS]
        captures = state.step is not None and state.step.captures
        if scope is None or not (asked or captures):
            return
        store = self._shell.store
        self.memory = {one.key: one for one in await store.memories(scope)}
        self.found = {query: tuple(await store.search_memories(scope, query)) for query in queries(asked)}

    async def recall(self, change: Change) -> None:
        """Read what the step that begins now is shown, and record it: once a turn, and again if it differs."""
        effects = decide(change.state, self._agent)
        wanted = next((effect for effect in effects if isinstance(effect, Recall)), None)
        if wanted is None or not _is_due(effects, self._shell.clock.now()):
            return
        found = [pair for namespace, keys in wanted.patterns for pair in await self._found(change, namespace, keys)]
        injection = injected(found, wanted.max_tokens)
        _record(change, wanted.owner, injection)
        refs = change.state.recollections.refs
        values = await self._shell.store.memory_values(self._info.project, refs)
        about_to_be = {write.ref: write.value for write in change.writes if write.value is not None}
        in_prompt = {scope.ref(memory): memory.value or "" for scope, memory in injection.memories}
        self.values = {**values, **about_to_be, **in_prompt}

    async def _found(self, change: Change, namespace: str, keys: tuple[str, ...]) -> list[tuple[MemoryScope, Memory]]:
        """What is remembered under these keys, once the change is recorded."""
        scope = MemoryScope(self._info.project, change.state.ownership.owner, namespace)
        kept = {one.key: one for one in await self._shell.store.memories(scope)}
        kept |= {write.key: write.memory for write in change.writes if write.scope == scope}
        return [(scope, memory) for memory in matching(kept.values(), keys)]


def _is_due(effects: tuple[object, ...], now: int) -> bool:
    return any(isinstance(effect, CallModel) and effect.not_before <= now for effect in effects)


def _record(change: Change, owner: str, injection: Injection) -> None:
    entries = tuple(entry_of(memory, scope.namespace) for scope, memory in injection.memories)
    now = change.state.injected
    before = ((), 0) if now is None else (now.entries, now.left_out)
    if before != (entries, injection.left_out):
        change.add([Draft(MemoryRecalled(owner=owner, entries=entries, left_out=injection.left_out))])
