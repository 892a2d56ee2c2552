"""Triggers by which the database itself refuses to change rows of an append-only table.

SQLite loses a table's triggers when Django rebuilds the table: a migration that alters one must call this again.
"""

from collections.abc import Callable

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

SQLITE = """
CREATE TRIGGER {table}_refuses_{operation} BEFORE {operation} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only: {operation} refused'); END
"""

POSTGRESQL_FUNCTION = """
CREATE OR REPLACE FUNCTION studio_refuse_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, lower(TG_OP); END $$
"""

POSTGRESQL = """
CREATE TRIGGER {table}_refuses_{operation} BEFORE {operation} ON {table}
FOR EACH ROW EXECUTE FUNCTION studio_refuse_change()
"""


def append_only(table: str) -> migrations.RunPython:
    """A migration operation after which update and delete of the table's rows fail, on SQLite and PostgreSQL."""
    return migrations.RunPython(_create(table), _drop(table))


def _create(table: str) -> Callable[[StateApps, BaseDatabaseSchemaEditor], None]:
    def create(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        template = SQLITE
        if editor.connection.vendor == "postgresql":
            editor.execute(POSTGRESQL_FUNCTION, params=None)
            template = POSTGRESQL
        for operation in ("update", "delete"):
            editor.execute(template.format(table=table, operation=operation), params=None)

    return create


def _drop(table: str) -> Callable[[StateApps, BaseDatabaseSchemaEditor], None]:
    def drop(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        on_table = f" ON {table}" if editor.connection.vendor == "postgresql" else ""
        for operation in ("update", "delete"):
            editor.execute(f"DROP TRIGGER {table}_refuses_{operation}{on_table}", params=None)

    return drop
