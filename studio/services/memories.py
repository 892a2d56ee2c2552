"""People's hands on their own memory: change, undo, confirm, add, erase, take a copy.

Nobody changes another's; who reads another's is recorded.
"""

from collections.abc import Collection
from typing import Any, ClassVar

from django.utils import timezone

from runtime.domain.memory import (
    KEYS_AT_MOST,
    SHARED,
    VALUE_CHARACTERS,
    MemoryScope,
    MemoryWrite,
    key_of,
    key_problem,
)
from runtime.domain.text import is_fit
from studio.errors import NotAllowed, NotFitting, StudioError
from studio.models import MemoryVersion, Project, User
from studio.queries.instants import instant, rfc3339
from studio.services.audit import Actor, entry, record
from studio.store import ChangeMemory, EraseMemories
from studio.wiring import running

FORGET = "FORGET"
"""What is typed to erase everything."""


class ChangedMeanwhile(StudioError):
    """Somebody, or an agent, wrote that key since it was shown."""

    status: ClassVar[int] = 409

    def __str__(self) -> str:
        return "This was changed meanwhile. Look at the value that stands there now, then change it again."


def add_memory(actor: Actor, project: Project, key: str, value: str) -> None:
    """Remember something oneself, for all agents of the project. Raises NotAllowed, NotFitting, ChangedMeanwhile."""
    user = _self(actor)
    key = key_of(key) if is_fit(key) else key
    problem = key_problem(key)
    if problem:
        raise NotFitting(problem)
    mine = MemoryVersion.objects.filter(project=project, owner=user, namespace=SHARED, is_current=True)
    if mine.count() >= KEYS_AT_MOST:
        raise NotFitting(f"{KEYS_AT_MOST} keys are remembered already. Forget one first.")
    before = mine.filter(key=key).first()
    if before is not None and before.value is not None:
        raise NotFitting(f"Something is remembered as {key} already. Change it there.")
    _write(actor, user, project, SHARED, key, (before.version if before else 0) + 1, _fit(value), "memory.added")


def change_memory(actor: Actor, version: MemoryVersion, value: str) -> None:
    """Another value in place of the newest version. Raises NotAllowed, NotFitting, ChangedMeanwhile."""
    _rewrite(actor, version, _fit(value), "memory.changed")


def confirm_memory(actor: Actor, version: MemoryVersion) -> None:
    """The value stands as it is, and agents may be shown it from now on. Raises NotAllowed, ChangedMeanwhile."""
    _rewrite(actor, version, version.value, "memory.confirmed")


def undo_memory(actor: Actor, version: MemoryVersion) -> None:
    """What stood there before this newest version; the first one is forgotten. Raises as the others, NotFitting."""
    before = MemoryVersion.objects.filter(
        project=version.project, owner=version.owner, namespace=version.namespace, key=version.key
    ).filter(version=version.version - 1)
    earlier = before.first()
    if earlier is not None and earlier.erased_at is not None:
        raise NotFitting("What stood there before was erased, so it cannot come back.")
    value = earlier.value if earlier is not None else None
    _rewrite(actor, version, value, "memory.undone", is_tainted=earlier is not None and earlier.is_tainted)


def forget_memory(actor: Actor, version: MemoryVersion) -> None:
    """Erase one key in all its versions, for good. Raises NotAllowed."""
    user = _own(actor, version)
    _erase(actor, user, version.project, [(version.namespace, version.key)])


def forget_everything(actor: Actor, typed: str) -> int:
    """Erase one's memory in all projects, for good; how many keys there were. Raises NotAllowed, NotFitting."""
    user = _self(actor)
    if typed.strip() != FORGET:
        raise NotFitting(f"Nothing was erased. Type {FORGET} in capital letters to erase everything.")
    projects = Project.objects.filter(pk__in=MemoryVersion.objects.filter(owner=user).values("project"))
    return sum(_erase(actor, user, project, None) for project in projects)


def export_memory(actor: Actor) -> dict[str, Any]:
    """All that is remembered of oneself, with every earlier version, as JSON has it; recorded. Raises NotAllowed."""
    user = _self(actor)
    versions = MemoryVersion.objects.filter(owner=user, erased_at=None).select_related("project", "by")
    ordered = versions.order_by("project", "namespace", "key", "version")
    record(actor, "memory.exported", user.username, after={"versions": ordered.count()})
    return {
        "person": user.username,
        "exported_at": rfc3339(timezone.now()),
        "memory": [_told(version) for version in ordered],
    }


def _told(version: MemoryVersion) -> dict[str, Any]:
    return {
        "project": version.project.slug,
        "namespace": version.namespace,
        "key": version.key,
        "version": version.version,
        "value": version.value,
        "is_current": version.is_current,
        "is_confirmed": not version.is_tainted,
        "at": instant(version.at),
        "written_by": version.by.username if version.by else "agent",
        "rollout": version.rollout or None,
        "event": version.seq or None,
    }


def _rewrite(actor: Actor, version: MemoryVersion, value: str | None, action: str, *, is_tainted: bool = False) -> None:
    user = _own(actor, version)
    if not version.is_current:
        raise ChangedMeanwhile
    number = version.version + 1
    _write(actor, user, version.project, version.namespace, version.key, number, value, action, is_tainted=is_tainted)


def _write(
    actor: Actor,
    user: User,
    project: Project,
    namespace: str,
    key: str,
    number: int,
    value: str | None,
    action: str,
    *,
    is_tainted: bool = False,
) -> None:
    scope = MemoryScope(project.public_id, user.public_id, namespace)
    kept = value if value is None else running().redactor.redact(value)
    write = MemoryWrite(scope, key, number, kept, is_tainted, by=user.public_id)
    said = entry(actor, action, user.username, after={"namespace": namespace, "key": key, "version": number})
    if not running().store.writer.call(ChangeMemory(write, said)):
        raise ChangedMeanwhile


def _erase(actor: Actor, user: User, project: Project, keys: Collection[tuple[str, str]] | None) -> int:
    meant = "everything" if keys is None else [key for _, key in keys]
    said = entry(actor, "memory.erased", user.username, before={"project": project.slug, "keys": meant})
    return running().store.writer.call(EraseMemories(project.public_id, user.public_id, keys, said))


def _fit(value: str) -> str:
    """Raises NotFitting."""
    if not value.strip():
        raise NotFitting("The value is empty. Write something, or forget the key.")
    if not is_fit(value):
        raise NotFitting("The value has a NUL character or half of a character pair, which cannot be kept. Remove it.")
    if len(value) > VALUE_CHARACTERS:
        raise NotFitting(f"The value is over {VALUE_CHARACTERS} characters. Shorten it.")
    return value.strip()


def _self(actor: Actor) -> User:
    if actor.user is None:
        raise NotAllowed("have a memory at the terminal", "the person whose memory it is")
    return actor.user


def _own(actor: Actor, version: MemoryVersion) -> User:
    """Raises NotAllowed for another's."""
    user = _self(actor)
    if version.owner_id != user.pk:
        raise NotAllowed("change another person's memory", "the person whose memory it is")
    return user
