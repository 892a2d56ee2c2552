"""The SQL that differs between SQLite and PostgreSQL, and statements over many rows at once.

SQLite gives up Python's lock at each row that a statement returns or each repetition of `executemany`, and gets it
back only after the event loop's thread lets go. So many rows come back as one JSON text, and go in as one statement.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from itertools import chain
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

MAX_PARAMETERS = 30_000  # SQLite takes 32,766 in one statement
POSTGRESQL_NOW = "(extract(epoch from clock_timestamp()) * 1000000)::bigint"


def machine_now() -> int:
    """Microseconds since 1970, UTC."""
    return time.time_ns() // 1000


class Sql:
    """A database connection as the store uses it. Counts its statements and commits.

    `lease_clock` stands in for the database's clock, which on SQLite is that of this machine.
    """

    def __init__(self, connection: BaseDatabaseWrapper, lease_clock: Callable[[], int] | None = None) -> None:
        self.connection = connection
        self.is_sqlite = connection.vendor == "sqlite"
        self.statements = self.commits = 0
        self._lease_clock = lease_clock or (machine_now if self.is_sqlite else None)

    @property
    def now(self) -> str:
        """The database's clock in microseconds, as SQL."""
        return POSTGRESQL_NOW if self._lease_clock is None else str(self._lease_clock())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction by plain statements, for jobs that do not use Django's ORM; `atomic` costs as much again."""
        self.connection.ensure_connection()
        with self.connection.wrap_database_errors:
            self._run_plain("BEGIN IMMEDIATE" if self.is_sqlite else "BEGIN")
            try:
                yield
                self._run_plain("COMMIT")
                self.commits += 1
            except BaseException:
                self._roll_back()
                raise

    @contextmanager
    def no_transaction(self) -> Iterator[None]:
        """Each statement for itself, with Django's errors."""
        self.connection.ensure_connection()
        with self.connection.wrap_database_errors:
            yield

    def _roll_back(self) -> None:
        try:
            self._run_plain("ROLLBACK")
        except self.connection.Database.Error:  # type: ignore[attr-defined]  # each backend has its driver there
            self.connection.close()  # it is gone, or has rolled back by itself

    def _run_plain(self, sql: str) -> None:
        self.connection.connection.execute(sql).close()

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Runs one statement; the number of rows it changed."""
        with closing(self._run(sql, parameters)) as cursor:
            return int(cursor.rowcount)

    def rows(self, columns: Sequence[str], rest: str, parameters: Sequence[Any] = ()) -> list[list[Any]]:
        """`SELECT columns rest`, in the order of `rest`. Bytes must be wrapped by `hex`; see there."""
        if self.is_sqlite:
            with closing(self._run(_as_one_text(tuple(columns)) + rest + ")", parameters)) as cursor:
                return list(json.loads(cursor.fetchone()[0]))
        with closing(self._run(f"SELECT {', '.join(columns)} {rest}", parameters)) as cursor:
            return [list(row) for row in cursor.fetchall()]

    def _run(self, sql: str, parameters: Sequence[Any]) -> Any:
        """A cursor of the database's own driver: Django's costs more than most statements here."""
        self.statements += 1
        if self.connection.connection is None:
            self.connection.ensure_connection()
        cursor = self.connection.connection.cursor()
        cursor.execute(sql.replace("%s", "?") if self.is_sqlite else sql, parameters)
        return cursor

    def hex(self, column: str) -> str:
        """Bytes as a hexadecimal text, which JSON can carry."""
        return f"hex({column})" if self.is_sqlite else f"encode({column}, 'hex')"

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], after: str = "") -> None:
        """Inserts all rows with as few statements as their number allows."""
        for part in parts(rows, len(columns)):
            self.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) VALUES {values(len(part), len(columns))} {after}",
                list(chain.from_iterable(part)),
            )

    def update(
        self, table: str, sets: Sequence[str], where: str, rows: Sequence[Sequence[Any]], parameters: Sequence[Any] = ()
    ) -> int:
        """`UPDATE table AS t SET … FROM (rows AS v) WHERE …`; the number of rows changed.

        `sets` and `where` name the columns of a row `v.column1`, `v.column2` …, as both databases do.
        """
        changed = 0
        for part in parts(rows, len(rows[0]) if rows else 1):
            changed += self.execute(
                f"UPDATE {table} AS t SET {', '.join(sets)} "
                f"FROM (VALUES {values(len(part), len(part[0]))}) AS v WHERE {where}",
                [*parameters, *chain.from_iterable(part)],
            )
        return changed


@cache
def _as_one_text(columns: tuple[str, ...]) -> str:
    """The beginning of a statement that gives its rows as one JSON text."""
    aliased = ", ".join(f"{column} AS c{number}" for number, column in enumerate(columns))
    names = ", ".join(f"c{number}" for number in range(len(columns)))
    return f"SELECT json_group_array(json_array({names})) FROM (SELECT {aliased} "


def marks(count: int) -> str:
    """`%s, %s, …`."""
    return ", ".join(["%s"] * count)


def values(rows: int, columns: int) -> str:
    """`(%s, …), (%s, …), …`."""
    return ", ".join([f"({marks(columns)})"] * rows)


def parts[Row](rows: Sequence[Row], columns: int = 1) -> Iterator[Sequence[Row]]:
    """The rows in as few parts as one statement's parameters allow."""
    size = MAX_PARAMETERS // columns
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
