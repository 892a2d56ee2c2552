"""The backend that `tests/settings.py` names; only `flush`, which no production path calls, differs."""

from typing import Any

from django.db.backends.sqlite3 import base
from django.db.backends.sqlite3.operations import DatabaseOperations


class Operations(DatabaseOperations):
    def sql_flush(self, *args: Any, **kwargs: Any) -> list[str]:
        """Drops all triggers, empties the tables, makes the triggers again; Django runs it in one transaction."""
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = cursor.fetchall()
        drops = [f"DROP TRIGGER {self.quote_name(name)}" for name, _ in triggers]
        return [*drops, *super().sql_flush(*args, **kwargs), *(sql for _, sql in triggers)]


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = Operations
