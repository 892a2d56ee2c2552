"""The independent checker over a data folder that no server uses."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connections
from django.db.backends.sqlite3.base import DatabaseWrapper

from studio.verify import verify


class FileOfTheServer(DatabaseWrapper):
    """A database that is not the tests' own, so that pytest-django has no say in it."""

    def ensure_connection(self) -> None:
        if self.connection is None:
            self.connect()


def check_database(data: Path, once: Collection[str] = ()) -> None:
    """What `manage.py verify` does, without a process of its own. `once` names tools that must not run twice."""
    with opened(data) as connection:
        assert verify(connection, once) == []


@contextmanager
def opened(data: Path) -> Iterator[FileOfTheServer]:
    """The database of that folder."""
    settings = connections["default"].settings_dict | {"NAME": str(data / "studio.sqlite3")}
    connection = FileOfTheServer(settings, alias="checked")
    connections["checked"] = connection
    try:
        yield connection
    finally:
        connection.close()
        del connections["checked"]
