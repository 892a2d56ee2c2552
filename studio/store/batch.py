"""One transaction of the writer: what its jobs need is read once, changed here, and written back set-based."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from runtime.domain.artifact import NewArtifact
from runtime.domain.memory import MemoryScope
from runtime.domain.pending import Pending
from runtime.domain.trajectory import Event
from runtime.ports import NoSuchRollout, Projection
from studio.store.absent import NotThere
from studio.store.auditing import Entry, append_entry
from studio.store.event_rows import EVENT_COLUMNS, PENDING_COLUMNS, event_row, pending_of_rollouts
from studio.store.flush import update_rollouts, update_sessions
from studio.store.memory_rows import MemoryRows
from studio.store.row import COLUMNS, RolloutRow, row_of
from studio.store.sql import Sql, marks, parts


@dataclass(slots=True)
class Needs:
    """What the jobs of one transaction must have read: public ids, ids of pending events, digests of keys.

    With those in `trees` the roots above them are read. `agents`: (public id of the project, name, version).
    `memories`: keys to be written; `writers`: public ids of the people who write to them with their own hand.
    """

    rollouts: set[str] = field(default_factory=set)
    trees: set[str] = field(default_factory=set)
    agents: set[tuple[str, str, int]] = field(default_factory=set)
    pending: set[str] = field(default_factory=set)
    keys: set[bytes] = field(default_factory=set)
    memories: set[tuple[MemoryScope, str]] = field(default_factory=set)
    writers: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """What decides of a pending event. `key` is that of its KeyRow, empty if it has none."""

    id: str
    rollout_pk: int
    is_pressing: bool
    key: bytes = b""


@dataclass(frozen=True, slots=True)
class KeyRow:
    """An idempotency key that was used, and what it gave."""

    digest: bytes
    body: bytes
    rollout: str
    rollout_pk: int
    event_id: str
    at: int


@dataclass(frozen=True, slots=True)
class AgentRow:
    """An agent and one of its versions; without a version its draft is tried."""

    pk: int
    version_pk: int | None


class Batch:
    """The rows of one transaction. Jobs change it in their order of arrival; `flush` writes it."""

    def __init__(self, sql: Sql, now: int) -> None:
        self.sql, self.now = sql, now
        self.locks = not sql.is_sqlite  # SQLite's one lock is the transaction itself
        self.rows: dict[str, RolloutRow] = {}
        self._by_pk: dict[int, RolloutRow] = {}
        self.next_pos: dict[int, int] = {}
        self.agents: dict[tuple[str, str, int], AgentRow] = {}
        self.pending: dict[str, WaitingRow] = {}
        self.keys: dict[bytes, KeyRow] = {}
        self.memory = MemoryRows(sql)
        self._database_now: int | None = None
        self._moved: set[int] = set()
        self._wanted: list[RolloutRow] = []
        self._queues: Mapping[int, Sequence[Pending]] | None = None
        self._events: list[Sequence[object]] = []
        self._new_pending: dict[str, Sequence[object]] = {}
        self._taken: list[str] = []
        self._new_keys: list[KeyRow] = []
        self._withdrawn: list[bytes] = []
        self._artifacts: list[tuple[int, str, str]] = []
        self._entries: list[Entry] = []

    # -- reading

    def read(self, needs: Needs) -> None:
        """Reads, and on PostgreSQL locks: session rows by id, then rollout rows by id."""
        if needs.rollouts or needs.trees:
            self._read_rollouts(sorted(needs.rollouts - needs.trees), sorted(needs.trees))
        for ids in parts(sorted(needs.pending)):
            self._read_pending(ids)
        if needs.keys:
            self._read_keys(sorted(needs.keys))
        if needs.agents:
            self._read_agents(needs.agents)
        if needs.memories:
            self.memory.read(needs.memories, needs.writers, locks=self.locks)

    def read_all_of(self, session_pk: int) -> None:
        """Reads, and on PostgreSQL locks, a session with all its rollouts."""
        rest = "FROM studio_rollout WHERE session_id = %s"
        self.read(Needs(rollouts={row[0] for row in self.sql.rows(("public_id",), rest, [session_pk])}))

    def _read_rollouts(self, rollouts: Sequence[str], trees: Sequence[str]) -> None:
        chosen, ids = _chosen(len(rollouts), len(trees)), [*trees, *rollouts]
        if self.locks:
            self.sql.execute(
                "SELECT s.id FROM studio_ampsession s WHERE s.id IN "
                f"(SELECT r.session_id FROM studio_rollout r WHERE {chosen}) ORDER BY s.id FOR UPDATE",
                ids,
            )
        lock = " FOR UPDATE" if self.locks else ""
        rest = (
            f"FROM studio_rollout r JOIN studio_ampsession s ON s.id = r.session_id WHERE {chosen} ORDER BY r.id{lock}"
        )
        for columns in self.sql.rows(COLUMNS, rest, ids):
            row, next_pos = row_of(columns)
            self.add_row(row)
            self.next_pos[row.session_pk] = next_pos

    def _read_pending(self, ids: Sequence[str]) -> None:
        columns = ("id", "rollout_id", "is_pressing", self.sql.hex("key"))
        rest = f"FROM studio_pendingevent WHERE id IN ({marks(len(ids))})"
        for id_, rollout_pk, is_pressing, key in self.sql.rows(columns, rest, ids):
            self.pending[id_] = WaitingRow(id_, rollout_pk, bool(is_pressing), bytes.fromhex(key or ""))

    def _read_keys(self, digests: Sequence[bytes]) -> None:
        digest, body = self.sql.hex("k.digest"), self.sql.hex("k.body")
        rest = (
            "FROM studio_acceptedkey k JOIN studio_rollout r ON r.id = k.rollout_id "
            f"WHERE k.digest IN ({marks(len(digests))})"
        )
        columns = (digest, body, "r.public_id", "r.id", "k.event_id", "k.at")
        for row in self.sql.rows(columns, rest, digests):
            key = KeyRow(bytes.fromhex(row[0]), bytes.fromhex(row[1]), *row[2:])
            self.keys[key.digest] = key

    def _read_agents(self, wanted: Collection[tuple[str, str, int]]) -> None:
        projects, names, numbers = ({*part} for part in zip(*wanted, strict=True))
        columns = ("p.public_id", "a.name", "a.id", "coalesce(v.number, 0)", "v.id")
        rest = (
            "FROM studio_agent a JOIN studio_project p ON p.id = a.project_id "
            f"LEFT JOIN studio_agentversion v ON v.agent_id = a.id AND v.number IN ({marks(len(numbers))}) "
            f"WHERE p.public_id IN ({marks(len(projects))}) AND a.name IN ({marks(len(names))})"
        )
        for project, name, pk, number, version_pk in self.sql.rows(columns, rest, [*numbers, *projects, *names]):
            self.agents[project, name, number] = AgentRow(pk, version_pk)
            self.agents.setdefault((project, name, 0), AgentRow(pk, None))

    @property
    def alias(self) -> str:
        """Django's name of the database, for `using`."""
        return self.sql.connection.alias

    def database_now(self) -> int:
        """The database's clock in microseconds, read once in the transaction."""
        if self._database_now is None:
            now = self.sql.now
            self._database_now = int(now) if now.isdigit() else int(self.sql.rows((now,), "")[0][0])
        return self._database_now

    def row(self, rollout: str) -> RolloutRow:
        """Raises NoSuchRollout."""
        row = self.rows.get(rollout)
        if row is None:
            raise NoSuchRollout(rollout)
        return row

    def agent(self, wanted: tuple[str, str, int]) -> AgentRow:
        """Raises NotThere."""
        found = self.agents.get(wanted)
        if found is None:
            _, name, version = wanted
            raise NotThere(f"version {version} of agent {name}" if version else f"agent {name}")
        return found

    def root_of(self, row: RolloutRow) -> RolloutRow:
        """The root of its tree; itself if there is none above it."""
        return row if row.root_pk is None else self._by_pk[row.root_pk]

    # -- changing

    def add_row(self, row: RolloutRow) -> None:
        """A row that was read, or just inserted."""
        self.rows[row.rollout] = self._by_pk[row.pk] = row

    def show(self, row: RolloutRow, projection: Projection) -> None:
        """Takes over what lists show, with the events that were just added; the tree's sum follows."""
        root, before = self.root_of(row), row.used
        row.show(projection)
        if row.used != before:
            root.tree, root.is_changed = root.tree.moved(before, row.used), True

    def add_events(self, row: RolloutRow, events: Sequence[Event]) -> int:
        """Puts events at the end of the trajectory; the pos of the first."""
        first_pos = self.next_pos[row.session_pk]
        self._events.extend(event_row(row.pk, event, first_pos + number) for number, event in enumerate(events))
        self.next_pos[row.session_pk] = first_pos + len(events)
        self._moved.add(row.session_pk)
        row.next_seq += len(events)
        row.last_sha256 = events[-1].sha256
        row.is_changed = True
        return first_pos

    def add_pending(self, row: RolloutRow, pending: WaitingRow, columns: Sequence[object]) -> None:
        """`columns` are those of `PENDING_COLUMNS`."""
        self.pending[pending.id] = pending
        self._new_pending[pending.id] = columns
        row.pending += 1
        row.pressing += pending.is_pressing
        row.is_changed = True

    def take_pending(self, row: RolloutRow, ids: Iterable[str]) -> None:
        """Removes events from the queue, because they are recorded now or were withdrawn."""
        for id_ in ids:
            row.pressing -= self.pending.pop(id_).is_pressing
            if self._new_pending.pop(id_, None) is None:
                self._taken.append(id_)
            row.pending -= 1
            row.is_changed = True

    def add_key(self, key: KeyRow) -> None:
        self.keys[key.digest] = key
        self._new_keys.append(key)

    def withdraw_key(self, digest: bytes) -> None:
        self._withdrawn.append(digest)

    def add_artifacts(self, row: RolloutRow, artifacts: Iterable[NewArtifact]) -> None:
        self._artifacts.extend((row.pk, artifact.id, artifact.text) for artifact in artifacts)

    def record(self, entry: Entry) -> None:
        """Puts an entry into the audit log."""
        self._entries.append(entry)

    # -- reading what will have been written

    def want_queue(self, row: RolloutRow) -> None:
        """`queue_of` will be asked for it, after the writing."""
        self._wanted.append(row)

    def queue_of(self, row: RolloutRow) -> Sequence[Pending]:
        """The pending queue in order of arrival; one statement reads those of all that are wanted."""
        if self._queues is None:
            self._queues = pending_of_rollouts(self.sql, {wanted.pk for wanted in self._wanted if wanted.pending})
        return self._queues.get(row.pk, [])

    # -- writing

    def flush(self) -> None:
        """Writes every change: sessions, then rollouts, then what hangs on them."""
        sql = self.sql
        if self._moved:
            update_sessions(sql, {pk: self.next_pos[pk] for pk in self._moved}, self.now)
        update_rollouts(sql, [row for row in self.rows.values() if row.is_changed])
        if self._events:
            sql.insert("studio_event", EVENT_COLUMNS, self._events)
        for ids in parts(self._taken):
            sql.execute(f"DELETE FROM studio_pendingevent WHERE id IN ({marks(len(ids))})", ids)
        self._flush_queue()
        if self._artifacts:
            sql.insert("studio_artifact", ("rollout_id", "id", "text"), self._artifacts)
        self.memory.flush()
        for entry in self._entries:
            append_entry(entry, self.alias)

    def _flush_queue(self) -> None:
        if self._new_pending:
            self.sql.insert("studio_pendingevent", PENDING_COLUMNS, list(self._new_pending.values()))
        if self._new_keys:
            rows = [(key.digest, key.body, key.rollout_pk, key.event_id, False, key.at) for key in self._new_keys]
            columns = ("digest", "body", "rollout_id", "event_id", "is_withdrawn", "at")
            self.sql.insert("studio_acceptedkey", columns, rows)
        if self._withdrawn:
            self.sql.execute(
                f"UPDATE studio_acceptedkey SET is_withdrawn = %s WHERE digest IN ({marks(len(self._withdrawn))})",
                [True, *self._withdrawn],
            )


@cache
def _chosen(rollouts: int, trees: int) -> str:
    """Which rows `r` are read: by public ids, those of trees first, whose roots are read with them."""
    by_name = f"r.public_id IN ({marks(rollouts)})" if rollouts else ""
    if not trees:
        return by_name
    named = f"SELECT id, root_id FROM studio_rollout WHERE public_id IN ({marks(trees)})"
    in_trees = f"WITH t AS ({named}) SELECT id FROM t UNION ALL SELECT root_id FROM t WHERE root_id IS NOT NULL"
    if rollouts:
        in_trees += f" UNION ALL SELECT id FROM studio_rollout WHERE public_id IN ({marks(rollouts)})"
    return f"r.id IN ({in_trees})"
