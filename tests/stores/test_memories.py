"""Both stores keep what every store promises of memories."""

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from runtime.domain.memory import MemoryScope
from runtime.stores.in_process import InProcessStore
from studio.models import MemoryVersion, Project, User
from studio.store import ChangeMemory, DjangoStore, Entry
from studio.verify import verify
from tests.stores.builders import PROJECT, new_rollout, owned
from tests.stores.suite_of_memories import MINE, MemorySuite, write


class TestInProcessStore(MemorySuite):
    @pytest.fixture
    def store(self, clock):
        return InProcessStore(clock.now)


class TestDjangoStore(MemorySuite):
    @pytest.fixture(autouse=True)
    def people(self, project):
        Project.objects.create(public_id="p_2", slug="other", name="Other")
        for name in ("maya", "priya"):
            User.objects.create(public_id=f"u_{name}", username=name)

    async def test_where_it_came_from_is_kept(self, store, writer):
        await store.change_memory(write(rollout="r_9", seq=7, at=5))
        await store.change_memory(write(value="French", version=2, by="u_priya"))

        rows = [row async for row in MemoryVersion.objects.order_by("version").select_related("by")]

        assert [(row.rollout, row.seq, row.by and row.by.public_id) for row in rows] == [
            ("r_9", 7, None),
            ("", 0, "u_priya"),
        ]
        assert rows[0].at == 5
        assert rows[1].at > 5

    async def test_a_change_and_its_entry_in_the_audit_log_are_one(self, store, writer):
        entry = Entry(user_pk=None, who="priya", origin="terminal", action="memory.changed")

        assert await writer.do(ChangeMemory(write(), entry))
        assert not await writer.do(ChangeMemory(write(), entry))

        assert await _count("studio_auditentry") == 1

    async def test_nothing_of_an_erased_value_is_left_in_any_table(self, store):
        await store.change_memory(write(value="canary4711"))
        await store.change_memory(write(value="canary4711 again", version=2))

        await store.erase_memories(PROJECT, "u_maya")

        assert [row.value async for row in MemoryVersion.objects.all()] == [None, None]
        assert "canary4711" not in await _everything()

    async def test_a_person_who_is_not_there_has_no_memory(self, store):
        with pytest.raises(Exception, match="person u_nobody is not there"):
            await store.change_memory(write(scope=MemoryScope(PROJECT, "u_nobody", "user")))

        assert await store.memories(MINE) == []


async def _count(table: str) -> int:
    def count() -> int:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {table}")
            return cursor.fetchone()[0]

    return await sync_to_async(count)()


async def _everything() -> str:
    """All that the tables of memories and of their index hold, as one text."""

    def read() -> str:
        tables = ["studio_memoryversion"]
        if connection.vendor == "sqlite":
            tables += ["studio_memoryindex_data", "studio_memoryindex_idx"]
        with connection.cursor() as cursor:
            rows = []
            for table in tables:
                cursor.execute(f"SELECT * FROM {table}")
                rows.extend(cursor.fetchall())
        return "".join(str(part) for row in rows for part in row)

    return await sync_to_async(read)()


async def broken(statement: str) -> list[str]:
    """What the checker finds after this was done to the table behind the studio's back."""

    def find() -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute(statement)
        return [finding.sentence for finding in verify(connection)]

    return await sync_to_async(find)()


@pytest.fixture
async def kept(project, writer, clock):
    """Two versions of a value, the first told of by event 2 of r_1."""
    await sync_to_async(User.objects.create)(public_id="u_maya", username="maya")
    store = DjangoStore(writer)
    await store.create(new_rollout())
    await MemorySuite().recorded(store, await owned(store, clock), write())
    await store.change_memory(write(value="French", version=2))
    return store


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE studio_memoryversion SET value = 'Greek' WHERE version = 1", "it was changed: its hash is another"),
        ("UPDATE studio_memoryversion SET is_current = false", "2 versions up to 2, of which 0 are current"),
        ("DELETE FROM studio_memoryversion WHERE version = 1", "version 1 of language was told of and is not there"),
        (
            "UPDATE studio_memoryversion SET rollout = 'r_1', seq = 1 WHERE version = 2",
            "version 2 of language is there, and no event tells of it",
        ),
        (
            "UPDATE studio_memoryversion SET sha256 = 'x', value = NULL WHERE version = 1",
            "version 1 of language has another hash there",
        ),
    ],
)
async def test_the_checker_finds_what_was_done_behind_the_studios_back(kept, statement, sentence):
    assert await broken("SELECT 1") == []

    assert sentence in await broken(statement)
