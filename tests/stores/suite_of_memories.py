"""What every store promises of memories. A module gives `store` and `clock`; u_maya and u_priya are there."""

import asyncio
from dataclasses import replace

import pytest

from runtime.domain.events import AgentThought, MemoryNamed
from runtime.domain.memory import MemoryRef, MemoryScope, MemoryWrite
from runtime.domain.memory_calls import entry_of
from runtime.ports import Appended, Lost
from tests.stores.builders import PROJECT, new_rollout, owned

MINE = MemoryScope(PROJECT, "u_maya", "user")
NOTE = AgentThought(content="a note")


def write(key: str = "language", value: str | None = "German", version: int = 1, **more) -> MemoryWrite:
    return MemoryWrite(more.pop("scope", MINE), key, version, value, **more)


def read(memories) -> dict[str, str | None]:
    return {memory.key: memory.value for memory in memories}


class MemorySuite:
    @pytest.fixture
    async def owner(self, store, clock):
        await store.create(new_rollout())
        return await owned(store, clock)

    async def recorded(self, store, owner, *writes: MemoryWrite):
        """Appended with an event that names them."""
        entries = tuple(entry_of(write.memory, write.scope.namespace) for write in writes)
        note = AgentThought(content="kept", memory=MemoryNamed(owner=MINE.owner, entries=entries, wrote=True))
        append = owner.change(note)
        placed = tuple(replace(write, rollout="r_1", seq=append.events[0].seq) for write in writes)
        return await store.append(replace(append, writes=placed))

    # -- writing with an event

    async def test_a_value_is_written_with_the_event_that_records_it(self, store, owner):
        answer = await self.recorded(store, owner, write(at=7))

        (memory,) = await store.memories(MINE)
        assert isinstance(answer, Appended)
        assert (memory.key, memory.value, memory.version, memory.at) == ("language", "German", 1, 7)
        assert memory.sha256 == write().sha256

    async def test_an_append_that_loses_writes_nothing(self, store, owner):
        append = replace(owner.change(NOTE), writes=[write()], epoch=owner.epoch + 1)

        assert isinstance(await store.append(append), Lost)
        assert await store.memories(MINE) == []

    async def test_a_write_that_does_not_follow_the_newest_loses_the_whole_append(self, store, owner):
        await store.change_memory(write(value="French"))

        assert isinstance(await self.recorded(store, owner, write()), Lost)
        assert read(await store.memories(MINE)) == {"language": "French"}
        assert len(await store.events("r_1", 0)) == 1

    async def test_a_write_that_skips_a_version_is_lost(self, store, owner):
        assert isinstance(await self.recorded(store, owner, write(version=2)), Lost)

    async def test_the_same_append_twice_writes_once(self, store, owner):
        entries = (entry_of(write().memory, "user"),)
        note = AgentThought(content="kept", memory=MemoryNamed(owner=MINE.owner, entries=entries, wrote=True))
        append = replace(owner.change(note), writes=[write(rollout="r_1", seq=2)])

        answers = [await store.append(append), await store.append(append)]

        assert [type(answer) for answer in answers] == [Appended, Lost]
        assert [memory.version for memory in await store.memories(MINE)] == [1]

    async def test_several_versions_of_a_key_in_one_append_follow_each_other(self, store, owner):
        await self.recorded(store, owner, write(value="a"), write(value="b", version=2), write("color", "red"))

        assert read(await store.memories(MINE)) == {"color": "red", "language": "b"}

    async def test_of_many_writes_of_one_version_at_once_one_is_taken(self, store):
        answers = await asyncio.gather(*(store.change_memory(write(value=str(n))) for n in range(20)))

        assert sum(answers) == 1
        assert [memory.version for memory in await store.memories(MINE)] == [1]

    # -- reading

    async def test_the_newest_version_is_read_and_the_older_ones_are_kept(self, store):
        await store.change_memory(write(value="German"))
        await store.change_memory(write(value="French", version=2))

        values = await store.memory_values(PROJECT, [write(value="German").ref, write(value="French", version=2).ref])

        assert read(await store.memories(MINE)) == {"language": "French"}
        assert sorted(values.values()) == ["French", "German"]

    async def test_what_is_forgotten_has_no_value_and_its_number_stays(self, store):
        await store.change_memory(write())
        await store.change_memory(write(value=None, version=2))

        (memory,) = await store.memories(MINE)
        assert (memory.value, memory.version) == (None, 2)
        assert await store.search_memories(MINE, "german") == []
        assert not await store.change_memory(write(version=1))

    async def test_people_namespaces_and_projects_are_apart(self, store):
        others = (
            MemoryScope(PROJECT, "u_priya", "user"),
            MemoryScope(PROJECT, "u_maya", "agent:tester"),
            MemoryScope("p_2", "u_maya", "user"),
        )
        for number, scope in enumerate(others):
            await store.change_memory(write(value=f"secret {number}", scope=scope))

        assert await store.memories(MINE) == []
        assert await store.search_memories(MINE, "secret") == []
        assert [read(await store.memories(scope)) for scope in others] == [
            {"language": f"secret {number}"} for number in range(3)
        ]

    async def test_a_mark_of_taint_is_kept(self, store):
        await store.change_memory(write(is_tainted=True))

        assert [memory.is_tainted for memory in await store.memories(MINE)] == [True]

    async def test_a_name_with_another_hash_owner_or_version_leads_to_nothing(self, store):
        await store.change_memory(write())
        right = write().ref

        wrong = [
            right._replace(sha256="0" * 64),
            right._replace(owner="u_priya"),
            right._replace(version=2),
            right._replace(namespace="agent:tester"),
            MemoryRef("u_maya", "user", "color", 1, right.sha256),
        ]

        assert await store.memory_values(PROJECT, [*wrong, right]) == {right: "German"}
        assert await store.memory_values("p_2", [right]) == {}
        assert await store.memory_values(PROJECT, []) == {}

    # -- searching

    async def test_a_search_finds_words_by_their_beginnings_whatever_their_capitals(self, store):
        await store.change_memory(write("pets.dog", "A brown Dachshund named Waldi"))
        await store.change_memory(write("orders.last", "48213, a café table"))
        await store.change_memory(write("greeting", "안녕하세요 🌱"))

        expected = {
            "dachs": ["pets.dog"],
            "WALDI": ["pets.dog"],
            "hund": [],
            "482": ["orders.last"],
            "orders": ["orders.last"],
            "last": ["orders.last"],
            "CAFÉ": ["orders.last"],
            "안녕": ["greeting"],
            "dog 48213": ["orders.last", "pets.dog"],
            "": [],
            "🌱": [],
            "'\"*:)(-": [],
        }
        found = {text: await store.search_memories(MINE, text) for text in expected}

        assert {text: [memory.key for memory in memories] for text, memories in found.items()} == expected

    async def test_the_best_hit_comes_first(self, store):
        await store.change_memory(write("a", "red car"))
        await store.change_memory(write("b", "red car in Rome"))

        assert [memory.key for memory in await store.search_memories(MINE, "rome red car")] == ["b", "a"]

    async def test_only_the_newest_version_is_found(self, store):
        await store.change_memory(write(value="German"))
        await store.change_memory(write(value="French", version=2))

        assert await store.search_memories(MINE, "german") == []
        assert [memory.value for memory in await store.search_memories(MINE, "french")] == ["French"]

    async def test_a_value_of_one_endless_word_is_kept(self, store):
        await store.change_memory(write(value="x" * 4000))

        assert [memory.key for memory in await store.search_memories(MINE, "x" * 200)] == ["language"]

    # -- erasing

    async def test_what_is_erased_is_gone_in_every_version_and_its_numbers_go_on(self, store):
        await store.change_memory(write(value="German"))
        await store.change_memory(write(value="French", version=2))
        refs = [write(value="German").ref, write(value="French", version=2).ref]

        assert await store.erase_memories(PROJECT, "u_maya") == 1

        assert await store.memory_values(PROJECT, refs) == {}
        assert await store.search_memories(MINE, "french") == []
        assert read(await store.memories(MINE)) == {"language": None}
        assert await store.change_memory(write(value="Greek", version=3))
        assert await store.memory_values(PROJECT, refs) == {}

    async def test_single_keys_are_erased_and_others_stay(self, store):
        agents = MemoryScope(PROJECT, "u_maya", "agent:tester")
        await store.change_memory(write())
        await store.change_memory(write("color", "red"))
        await store.change_memory(write(scope=agents))

        await store.erase_memories(PROJECT, "u_maya", [("user", "language")])

        assert read(await store.memories(MINE)) == {"color": "red", "language": None}
        assert read(await store.memories(agents)) == {"language": "German"}

    async def test_nobody_elses_memory_is_erased(self, store):
        theirs = MemoryScope(PROJECT, "u_priya", "user")
        await store.change_memory(write(scope=theirs))

        assert await store.erase_memories(PROJECT, "u_maya") == 0
        assert read(await store.memories(theirs)) == {"language": "German"}
