"""People's memories as pages show them: the newest values, where each came from, and what stood there before."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Q
from django.http import Http404

from runtime.domain.events import UserInput
from runtime.domain.memory import SHARED
from studio.models import MemoryVersion, Project, Rollout, User
from studio.queries.instants import instant
from studio.rights import Right
from studio.store import trajectory

PEOPLE_AT_MOST = 200
VERSIONS_AT_MOST = 50
_QUOTE_WITHIN = 50  # events before the one that wrote it


@dataclass(frozen=True, slots=True)
class PersonRow:
    """A person with something remembered: how many keys, and when the newest was changed."""

    user: User
    keys: int
    changed_at: str


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """The newest version of a key, or an earlier one. `rollout`: where it came from, if it is still there."""

    version: MemoryVersion
    agent: str

    @property
    def pk(self) -> int:
        return int(self.version.pk)

    @property
    def key(self) -> str:
        return self.version.key

    @property
    def value(self) -> str | None:
        return self.version.value

    @property
    def at(self) -> str:
        return instant(self.version.at)

    @property
    def is_tainted(self) -> bool:
        return self.version.is_tainted

    @property
    def is_by_person(self) -> bool:
        return self.version.by_id is not None

    @property
    def written_by(self) -> str:
        """A person, an agent, or what is left to say when its session is gone."""
        if self.version.by is not None:
            return str(self.version.by)
        return self.agent or "an agent"

    @property
    def read_by(self) -> str:
        """Which agents may use it."""
        return "all agents" if self.version.namespace == SHARED else self.version.namespace.partition(":")[2]


@dataclass(frozen=True, slots=True)
class MemoryDetail:
    """One key with its earlier versions. `rollout` and `quote`: where it came from, as far as the viewer may see it."""

    row: MemoryRow
    earlier: Sequence[MemoryRow]
    rollout: str
    quote: str
    quoted: str


def readable_owner(viewer: User, public_id: str) -> User:
    """The person whose memory the viewer may read: their own, or that of somebody in a project where they may.

    Raises Http404.
    """
    if public_id == viewer.public_id:
        return viewer
    owner = people_readable_by(viewer).filter(public_id=public_id).first()
    if owner is None:
        raise Http404(f"There is nobody {public_id[:40]}, or you may not read their memory.")
    return owner


def people_readable_by(viewer: User) -> Any:
    """Those whose memory the viewer may read, and of whom something is remembered."""
    visible = MemoryVersion.objects.visible_to(viewer).shown()
    return User.objects.filter(Q(pk=viewer.pk) | Q(pk__in=visible.values("owner")))


def reads_others(viewer: User) -> bool:
    return Project.objects.with_right(viewer, Right.READ_OTHERS_MEMORY).exists()


def people_rows(viewer: User, words: str = "") -> list[PersonRow]:
    """The people in the list, the newest change first; `words`: part of a name or the id."""
    visible = MemoryVersion.objects.visible_to(viewer).shown()
    if words:
        named = Q(owner__display_name__icontains=words) | Q(owner__username__icontains=words)
        visible = visible.filter(named | Q(owner__public_id=words))
    counted = visible.values("owner").annotate(keys=Count("pk"), newest=Max("at")).order_by("-newest")[:PEOPLE_AT_MOST]
    users = User.objects.in_bulk([row["owner"] for row in counted])
    return [PersonRow(users[row["owner"]], row["keys"], instant(row["newest"])) for row in counted]


def memory_rows(viewer: User, owner: User) -> list[MemoryRow]:
    """What is remembered of the owner, by key."""
    found = MemoryVersion.objects.visible_to(viewer).shown().filter(owner=owner)
    return _rows(list(found.select_related("by", "project").order_by("namespace", "key", "project")))


def memory_detail(viewer: User, owner: User, pk: int) -> MemoryDetail:
    """The key of which this is a version. Raises Http404."""
    mine = MemoryVersion.objects.visible_to(viewer).filter(owner=owner).select_related("by", "project", "owner")
    named = mine.filter(pk=pk).first()
    if named is None:
        raise Http404("There is no such value, or you may not read it.")
    versions = mine.filter(project=named.project, namespace=named.namespace, key=named.key).order_by("-version")
    newest, *earlier = _rows(list(versions[:VERSIONS_AT_MOST]))
    return MemoryDetail(newest, earlier, *_origin(viewer, newest.version))


def _rows(versions: Sequence[MemoryVersion]) -> list[MemoryRow]:
    wanted = {version.rollout for version in versions if version.rollout}
    found = Rollout.objects.filter(public_id__in=wanted).select_related("agent")
    agents = {rollout.public_id: rollout.agent.name for rollout in found}
    return [MemoryRow(version, agents.get(version.rollout, "")) for version in versions]


def _origin(viewer: User, version: MemoryVersion) -> tuple[str, str, str]:
    """Rollout, what the owner had said last before it was written, and by which name."""
    rollout = Rollout.objects.visible_to(viewer).filter(public_id=version.rollout).first() if version.rollout else None
    if rollout is None:
        return "", "", ""
    for event in reversed(trajectory(rollout.pk, max(1, version.seq - _QUOTE_WITHIN), version.seq)):
        if isinstance(event.payload, UserInput) and event.source == version.owner.public_id:
            return rollout.public_id, event.payload.content, event.payload.name
    return rollout.public_id, "", ""
