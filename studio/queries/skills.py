"""Skills, and the agents whose files name them."""

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.domain.agent_file import read_agent_file
from runtime.domain.skill import skill_name, unpacked
from studio.models import Agent, Skill, User
from studio.rights import Right, has_right


@dataclass(frozen=True, slots=True)
class SkillRow:
    """`files` without SKILL.md; `agents` by name. `may_change`: whether this viewer may replace or delete it."""

    skill: Skill
    files: Sequence[str]
    agents: Sequence[str]
    may_change: bool


def skill_rows(user: User) -> list[SkillRow]:
    """The skills that the user may see, by name."""
    found = Skill.objects.visible_to(user).select_related("project", "changed_by").order_by("name")
    return [
        SkillRow(
            skill,
            [name for name in unpacked(skill.packed).files if name != "SKILL.md"],
            agents_with(skill),
            has_right(user, skill.project, Right.WRITE_AGENTS),
        )
        for skill in found
    ]


def agents_with(skill: Skill) -> list[str]:
    """The agents of its project whose draft or newest version names it."""
    found = Agent.objects.filter(project=skill.project).open().order_by("name").prefetch_related("versions")
    return [agent.name for agent in found if skill.name in _named(agent)]


def _named(agent: Agent) -> set[str]:
    newest = max(agent.versions.all(), key=lambda version: version.number, default=None)
    texts = [agent.draft, *([newest.text] if newest is not None else [])]
    return {name for text in texts if "skills" in text for name in _names_in(text)}


def _names_in(text: str) -> list[str]:
    definition = read_agent_file(text).definition
    return [skill_name(entry) for entry in definition.skills] if definition is not None else []
