"""Memories as tests need them: something that is remembered of a person."""

from typing import Any

from runtime.domain.memory import SHARED, MemoryScope, MemoryWrite
from studio.models import MemoryVersion, Project, User
from studio.services.accounts import default_project
from studio.store import ChangeMemory
from studio.wiring import running


def remembered(
    user: User, key: str = "language", value: str | None = "German", *, project: Project | None = None, **more: Any
) -> MemoryVersion:
    """Another version of the key, in the default project if none is given."""
    project = project or default_project()
    namespace = more.pop("namespace", SHARED)
    mine = MemoryVersion.objects.filter(project=project, owner=user, namespace=namespace, key=key)
    newest = mine.order_by("-version").first()
    number = newest.version + 1 if newest else 1
    scope = MemoryScope(project.public_id, user.public_id, namespace)
    assert running().store.writer.call(ChangeMemory(MemoryWrite(scope, key, number, value, **more)))
    return mine.get(version=number)
