"""A copy of a frozen dataclass with some fields changed, at a third of what `dataclasses.replace` costs.

A turn makes some forty such copies: with the standard one they were a quarter of its CPU time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any

_Put = Callable[[Any, Any], None]


def replace[Item](item: Item, /, **changes: Any) -> Item:
    """The item with these fields changed. Its class has slots, two fields or more, and no `__post_init__`.

    Raises KeyError for a field that it does not have.
    """
    cls: Any = type(item)
    copy: Item = object.__new__(cls)
    values, puts, put_of = _members(cls)
    for put, value in zip(puts, values(item), strict=True):
        put(copy, value)
    for name, value in changes.items():
        put_of[name](copy, value)
    return copy


@cache
def _members(cls: type[Any]) -> tuple[Callable[[Any], Sequence[Any]], Sequence[_Put], Mapping[str, _Put]]:
    """All values of an item at once, and what sets each field: a frozen class cannot set them itself."""
    names = [field.name for field in fields(cls)]
    put_of = {name: getattr(cls, name).__set__ for name in names}
    return attrgetter(*names), tuple(put_of.values()), put_of
