"""What every kind of source must keep: used by the tests of each, and by the how-to's example."""

from collections.abc import Callable

from runtime.ports import Source


async def check_source(source: Source, add: Callable[[str], None]) -> None:
    """`add` makes one thing happen at the place that the source looks at."""
    add("before")
    first = await source.look("")
    assert list(first.happenings) == [], "what was there at the first look is known"
    assert first.cursor, "an empty cursor means that it was never looked at"

    assert list((await source.look(first.cursor)).happenings) == [], "nothing happened"
    add("one")
    add("two")
    second = await source.look(first.cursor)
    keys = [happening.key for happening in second.happenings]
    assert len(set(keys)) == 2, "each thing has a key of its own"

    again = await source.look(first.cursor)
    assert [happening.key for happening in again.happenings] == keys, "the same cursor gives the same keys"
    assert [happening.body for happening in again.happenings] == [happening.body for happening in second.happenings]
    assert list((await source.look(second.cursor)).happenings) == [], "what was taken is known"
    add("three")
    third = await source.look(second.cursor)
    assert len(third.happenings) == 1
    assert source.every_seconds > 0
