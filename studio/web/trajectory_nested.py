"""The rows of an agent that was called, under the call: numbered by the call, such as 19.2, on the caller's time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from studio.models import Rollout
from studio.queries.events import envelopes_of
from studio.queries.trajectory import tree_of
from studio.queries.viewer import Viewer
from studio.templatetags.quantities import usd
from studio.web.trajectory_lines import lines_of
from studio.web.trajectory_rows import Row, rows_of
from studio.web.waterfall import TimeScale

MOST_UNFOLDED = 12  # events of an agent that are shown at once
MOST_ROWS = 200
MOST_INLINE = 20  # agents of one part of the page whose rows come with it


@dataclass(frozen=True, slots=True)
class NestedRow:
    """`number` as it is shown, `depth` from the left edge."""

    row: Row
    number: str
    depth: int

    @property
    def level(self) -> int:
        return self.depth + 1


@dataclass(frozen=True, slots=True)
class Nested:
    """What stands under the call at `seq`. Without `rows` they are fetched when it is unfolded.

    `more`: rows beyond those that are shown here, which its own page has.
    """

    seq: int
    rollout: str
    events: int
    rows: Sequence[NestedRow] = ()
    more: int = 0

    @property
    def is_open(self) -> bool:
        return bool(self.rows)


class NestedRollouts:
    """The rollouts that one rollout called, as one person sees them."""

    def __init__(self, caller: Rollout, viewer: Viewer) -> None:
        self.viewer = viewer
        found = Rollout.objects.filter(parent=caller).select_related("agent", "session", "session__project")
        self.by_id: Mapping[str, Rollout] = {child.public_id: child for child in found}

    def placed(self, rows: Sequence[Row], scale: TimeScale, now: int) -> list[Row]:
        """The same rows, each call of an agent with what stands under it; small ones are unfolded."""
        placed, inline = [], 0
        for row in rows:
            child = self.by_id.get(row.child)
            if child is None:
                placed.append(row)
                continue
            unfolds = child.events <= MOST_UNFOLDED and inline < MOST_INLINE
            inline += unfolds
            nested = self.under(row.seq, child, scale, now) if unfolds else Nested(row.seq, row.child, child.events)
            placed.append(_with_figures(replace(row, open=nested.is_open, nested=nested), child))
        return placed

    def under(self, seq: int, child: Rollout, scale: TimeScale, now: int) -> Nested:
        """All that stands under the call at `seq`."""
        lines = lines_of(tree_of(envelopes_of(child, self.viewer)), folds=False)
        rows = rows_of(lines[:MOST_ROWS], scale, now, is_log=False)
        nested = [
            NestedRow(replace(row, open=None, is_folded=False), f"{seq}.{row.seq}", 3 if row.parent else 2)
            for row in rows
        ]
        return Nested(seq, child.public_id, child.events, nested, max(0, len(lines) - MOST_ROWS))


def _with_figures(row: Row, child: Rollout) -> Row:
    """The call says what the agent used."""
    tokens = f"{child.tokens_in:,} → {child.tokens_out:,}" if child.tokens_in or child.tokens_out else ""
    return replace(row, tokens=tokens, cost=usd(child.cost_usd) if tokens and child.cost_known else "")
