"""The skills of a project as an agent is told of them at its start, and those that a rollout has kept."""

from collections.abc import Iterable, Mapping

from runtime.domain.skill import Skill as Skill_
from runtime.domain.skill import skill_name, unpacked
from studio.models import Pin, Skill


def skills_of(project: str, entries: Iterable[str]) -> list[Skill_]:
    """The skills of the project that an agent file names, in its order; those that are not there are left out."""
    names = [skill_name(entry) for entry in entries]
    if not names:
        return []
    rows = Skill.objects.filter(project__public_id=project, name__in=names).values_list("name", "packed")
    found = dict(rows)
    return [unpacked(found[name]) for name in names if name in found]


def kept_skills(hashes: Mapping[str, str]) -> list[Skill_]:
    """The skills of a rollout as they were at its start."""
    if not hashes:
        return []
    texts = dict(Pin.objects.filter(sha256__in=hashes.values()).values_list("sha256", "text"))
    return [unpacked(texts[sha256]) for sha256 in hashes.values() if sha256 in texts]
