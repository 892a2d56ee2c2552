"""`remember`, `recall`, `search_memory` and `forget`: what is recorded of them, and what is written with it. Pure.

Whose memory it is follows from the turn alone; no argument names a person or a namespace.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

from runtime.domain.events import MemoryNamed, RecalledEntry, ToolRequest, ToolResult
from runtime.domain.judging import Judged, Judging, refused
from runtime.domain.memory import (
    KEYS_AT_MOST,
    Memory,
    MemoryWrite,
    is_matched,
    key_of,
    key_problem,
    shown,
    value_sha256,
)
from runtime.domain.taint import has_read_untrusted
from runtime.domain.text import clean

MOST = 24_000
"""Characters that one result has at most of keys and values."""
NOBODY = "nobody's memory is at hand: no person stands behind this turn. Go on without it."


def remember(request: ToolRequest, judging: Judging) -> Judged:
    """A new version of a key."""
    args = request.args or {}
    key = key_of(str(args.get("key") or ""))
    value = judging.redact(clean(str(args.get("value") or "")))
    problem = _problem(key, judging)
    if problem:
        return refused(request, problem)
    before = judging.memory.get(key)
    if before is not None and before.value == value:
        return _told(request, f"{key} has this value already; nothing was changed.")
    if before is None and len(judging.memory) >= KEYS_AT_MOST:
        return refused(request, f"{KEYS_AT_MOST} keys are remembered already. Forget one first.")
    write = written(key, value, judging)
    words = f"Remembered as version {write.version} of {key}."
    if write.is_tainted:
        words += " It was written after untrusted content was read: it is not put into prompts until it is confirmed."
    return _wrote(request, judging, write, words)


def forget(request: ToolRequest, judging: Judging) -> Judged:
    """A new version of a key that has no value; a person can undo it."""
    key = key_of(str((request.args or {}).get("key") or ""))
    problem = _problem(key, judging)
    if problem:
        return refused(request, problem)
    before = judging.memory.get(key)
    if before is None or before.value is None:
        return refused(request, f"nothing is remembered as {key}.")
    return _wrote(request, judging, written(key, None, judging), f"Forgot {key}.")


def recall(request: ToolRequest, judging: Judging) -> Judged:
    """The values of these keys, by name; what stands behind the names is put in where the result is shown."""
    if judging.scope is None:
        return refused(request, NOBODY)
    wanted = [key_of(str(key)) for key in (request.args or {}).get("keys") or ()]
    found = [one for one in shown(judging.memory.values()) if is_matched(one.key, wanted)]
    missing = [key for key in wanted if not any(is_matched(one.key, (key,)) for one in found)]
    words = f"{_count(found)}{f'. Nothing is remembered as {", ".join(missing)}' if missing else ''}."
    return _read(request, judging, sorted(found, key=lambda one: one.key), words)


def search(request: ToolRequest, judging: Judging) -> Judged:
    """The values in which the words are found, the best first."""
    if judging.scope is None:
        return refused(request, NOBODY)
    query = str((request.args or {}).get("query") or "")
    found = judging.found.get(query, ())
    return _read(request, judging, found, f"{_count(found)} found.")


def queries(calls: Iterable[tuple[str, dict[str, Any] | None]]) -> list[str]:
    """What these calls (name, arguments) search for."""
    return [str((args or {}).get("query") or "") for name, args in calls if name == "search_memory"]


def _problem(key: str, judging: Judging) -> str:
    return NOBODY if judging.scope is None else key_problem(key)


def written(key: str, value: str | None, judging: Judging) -> MemoryWrite:
    """The next version; calls of the same step that follow see it."""
    assert judging.scope is not None
    before = judging.memory.get(key)
    version = before.version + 1 if before is not None else 1
    is_tainted = value is not None and has_read_untrusted(judging.state, judging.agent)
    judging.memory[key] = Memory(key, version, value, value_sha256(value), judging.at, is_tainted)
    return MemoryWrite(judging.scope, key, version, value, is_tainted)


def _wrote(request: ToolRequest, judging: Judging, write: MemoryWrite, words: str) -> Judged:
    entry = RecalledEntry(
        namespace=write.scope.namespace,
        key=write.key,
        version=write.version,
        sha256=write.sha256,
        tainted=write.is_tainted,
    )
    named = MemoryNamed(owner=write.scope.owner, owner_name=judging.state.ownership.name, entries=(entry,), wrote=True)
    return Judged(request, (_result(request, words, named),), (write,))


def _read(request: ToolRequest, judging: Judging, found: Sequence[Memory], words: str) -> Judged:
    assert judging.scope is not None
    shown_now = _with_room(found)
    entries = tuple(entry_of(one, judging.scope.namespace) for one in shown_now)
    if not entries:
        return _told(request, words)
    if left := len(found) - len(entries):
        words += f" {left} of them had no room here: ask for fewer keys at once."
    named = MemoryNamed(owner=judging.scope.owner, owner_name=judging.state.ownership.name, entries=entries)
    return Judged(request, (_result(request, words, named),))


def _with_room(found: Sequence[Memory]) -> list[Memory]:
    """As many of these as one result holds, the first in any case."""
    sizes = accumulate(len(one.key) + len(one.value or "") for one in found)
    return [one for number, (one, size) in enumerate(zip(found, sizes, strict=True)) if not number or size <= MOST]


def entry_of(memory: Memory, namespace: str) -> RecalledEntry:
    """The memory as events name it."""
    return RecalledEntry(
        namespace=namespace,
        key=memory.key,
        version=memory.version,
        sha256=memory.sha256,
        tainted=memory.is_tainted,
    )


def _told(request: ToolRequest, words: str) -> Judged:
    return Judged(request, (_result(request, words, None),))


def _result(request: ToolRequest, words: str, named: MemoryNamed | None) -> ToolResult:
    return ToolResult(call_id=request.call_id, content=words, attempts=0, memory=named)


def _count(found: Sequence[Memory]) -> str:
    return "1 value" if len(found) == 1 else f"{len(found)} values"
