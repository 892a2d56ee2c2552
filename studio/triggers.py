"""Triggers by which the database itself refuses to change rows.

SQLite loses a table's triggers when Django rebuilds the table: a migration that alters one must call this again.
"""

from collections.abc import Callable, Sequence

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

ERASING = "EXISTS (SELECT 1 FROM studio_erasure)"

SQLITE = """
CREATE TRIGGER {table}_refuses_{operation} BEFORE {operation} ON {table} {condition}
BEGIN SELECT RAISE(ABORT, '{table} is append-only: {operation} refused'); END
"""

POSTGRESQL_FUNCTION = """
CREATE OR REPLACE FUNCTION studio_refuse_change() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, lower(TG_OP); END $$
"""

POSTGRESQL_ERASABLE_FUNCTION = f"""
CREATE OR REPLACE FUNCTION studio_refuse_change_unless_erasing() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
  IF {ERASING} THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, lower(TG_OP);
END $$
"""

POSTGRESQL = """
CREATE TRIGGER {table}_refuses_{operation} BEFORE {operation} ON {table}
FOR EACH ROW EXECUTE FUNCTION {function}()
"""


def append_only(table: str) -> migrations.RunPython:
    """A migration operation after which update and delete of the table's rows fail, on SQLite and PostgreSQL."""
    return _operation(table, {"update": False, "delete": False})


def unchangeable(table: str) -> migrations.RunPython:
    """The same for updates alone."""
    return _operation(table, {"update": False})


def erasable(table: str) -> migrations.RunPython:
    """Updates always fail; deletes fail unless the erasure switch (a row in `studio_erasure`) is on."""
    return _operation(table, {"update": False, "delete": True})


def _operation(table: str, unless_erasing: dict[str, bool]) -> migrations.RunPython:
    return migrations.RunPython(_create(table, unless_erasing), _drop(table, list(unless_erasing)))


def _create(table: str, unless_erasing: dict[str, bool]) -> Callable[[StateApps, BaseDatabaseSchemaEditor], None]:
    def create(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        for operation, may_erase in unless_erasing.items():
            for statement in _statements(editor.connection.vendor, table, operation, may_erase):
                editor.execute(statement, params=None)

    return create


def _statements(vendor: str, table: str, operation: str, may_erase: bool) -> Sequence[str]:
    if vendor == "postgresql":
        function = "studio_refuse_change_unless_erasing" if may_erase else "studio_refuse_change"
        definition = POSTGRESQL_ERASABLE_FUNCTION if may_erase else POSTGRESQL_FUNCTION
        return [definition, POSTGRESQL.format(table=table, operation=operation, function=function)]
    condition = f"WHEN NOT {ERASING}" if may_erase else ""
    return [SQLITE.format(table=table, operation=operation, condition=condition)]


def _drop(table: str, operations: Sequence[str]) -> Callable[[StateApps, BaseDatabaseSchemaEditor], None]:
    def drop(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        on_table = f" ON {table}" if editor.connection.vendor == "postgresql" else ""
        for operation in operations:
            editor.execute(f"DROP TRIGGER {table}_refuses_{operation}{on_table}", params=None)

    return drop
