"""The values of memories that stand in a prompt which somebody looks at: as much as that person may read."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db import connection

from runtime.domain.memory import MemoryRef, Values
from runtime.domain.memory_words import ref_of
from runtime.domain.state import State
from studio.models import Rollout
from studio.queries.viewer import Viewer
from studio.store import memory_values
from studio.store.sql import Sql

WITHHELD = "[kept: the memory of another person]"


@dataclass(frozen=True, slots=True)
class MemoryShown:
    """The values behind names; `others`: public ids of the people besides the viewer whose values are among them.

    `erased` values are no more; `withheld` are not the viewer's to read.
    """

    values: Values = field(default_factory=dict)
    others: tuple[str, ...] = ()
    erased: int = 0
    withheld: int = 0


def memory_shown(rollout: Rollout, state: State, viewer: Viewer, *, with_others: bool) -> MemoryShown:
    """What the next prompt of that state is rendered with. `with_others`: it will be recorded that they were read."""
    refs = set(_named(state))
    reads_others = with_others and viewer.reads_memory
    shown = {viewer.user, viewer.shared_by}
    own = {ref for ref in refs if ref.owner in shown or reads_others}
    found = memory_values(Sql(connection), rollout.session.project.public_id, own)
    others = tuple(sorted({ref.owner for ref in found} - {viewer.user}))
    withheld = refs - own
    return MemoryShown(
        {**found, **dict.fromkeys(withheld, WITHHELD)}, others, erased=len(own) - len(found), withheld=len(withheld)
    )


def _named(state: State) -> Iterator[MemoryRef]:
    yield from state.recollections.refs
    if state.injected is not None:
        yield from (ref_of(state.injected.owner, entry) for entry in state.injected.entries)
