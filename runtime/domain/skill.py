"""Agent Skills: a folder with SKILL.md (name, description, instructions) and texts that it refers to. Never run. Pure.

A skill is known by its name alone: what stands before the last slash in an agent file is a reader's help.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from runtime.domain.arguments import canonical
from runtime.domain.errors import RuntimeFault
from runtime.domain.yaml_node import MappingNode, plain_value
from runtime.domain.yaml_text import read_yaml

MAIN = "SKILL.md"
MOST_FILES = 50
MOST_CHARACTERS = 500_000
NAME = re.compile(r"[a-z0-9](?:-?[a-z0-9])*")
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_HEAD = re.compile(r"\A---\r?\n(.*?)\r?\n---\r?\n?", re.DOTALL)


class SkillRefused(RuntimeFault):
    """A folder that is no skill; holds its own sentence."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class Skill:
    """`files`: texts by their names inside the folder, SKILL.md among them."""

    name: str
    description: str
    files: Mapping[str, str]

    @property
    def packed(self) -> str:
        """All of it as one canonical text, which trajectories name by its hash."""
        return canonical({"name": self.name, "description": self.description, "files": dict(self.files)})

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.packed.encode()).hexdigest()


def unpacked(text: str) -> Skill:
    """The skill that was packed."""
    return Skill(**json.loads(text))


def read_skill(files: Mapping[str, str]) -> Skill:
    """The skill in these texts. Raises SkillRefused."""
    if MAIN not in files:
        raise SkillRefused(f"There is no {MAIN}. A skill is a folder with that file in it.")
    if len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_CHARACTERS:
        raise SkillRefused(f"A skill has at most {MOST_FILES} files and {MOST_CHARACTERS:,} characters.")
    wrong = next((name for name in files if not is_file_name(name)), None)
    if wrong is not None:
        raise SkillRefused(f"{wrong[:80]!r} is no name for a file of a skill. Use a-z, A-Z, 0-9, -, _ and dots.")
    head = _head(files[MAIN])
    name, description = head.get("name"), head.get("description")
    if not isinstance(name, str) or len(name) > 64 or not NAME.fullmatch(name):
        raise SkillRefused(f"{MAIN} has no usable `name` at its head: a-z, 0-9 and -, at most 64 characters.")
    if not isinstance(description, str) or not 0 < len(description.strip()) <= 1024:
        raise SkillRefused(f"{MAIN} has no usable `description` at its head: what it is for, at most 1,024 characters.")
    return Skill(name, " ".join(description.split()), dict(sorted(files.items())))


def is_file_name(name: str) -> bool:
    """Whether it is a plain relative name, of at most four parts."""
    parts = name.split("/")
    return len(parts) <= 4 and all(_PART.fullmatch(part) for part in parts)


def skill_name(entry: str) -> str:
    """The name of the skill that an agent file means by `skills/refund-policy`."""
    return entry.rstrip("/").rpartition("/")[2]


def skills_words(skills: Iterable[Skill]) -> str:
    """The index that stands in the system prompt; empty if there are none."""
    lines = [f"- {skill.name}: {skill.description}" for skill in skills]
    if not lines:
        return ""
    return "\n".join(["Skills: before you do what one of them is about, read it with load_skill.", *lines])


def _head(text: str) -> dict[str, object]:
    found = _HEAD.match(text)
    read = read_yaml(found[1]) if found else None
    if read is None or read.problems or not isinstance(read.root, MappingNode):
        raise SkillRefused(f"{MAIN} does not begin with its head: `---`, `name:`, `description:`, `---`.")
    value = plain_value(read.root)
    return value if isinstance(value, dict) else {}
