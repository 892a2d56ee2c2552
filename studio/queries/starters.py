"""The agents that a new one can start from: files beside the templates, each of which runs as it is."""

from dataclasses import dataclass

from django.conf import settings

from studio.queries.agent_facts import facts_of

ICONS = {"blank": "file-plus", "file-reader": "folder", "tutor": "message-square"}


@dataclass(frozen=True, slots=True)
class Starter:
    """One of them; `key` is its file's name."""

    key: str
    title: str
    description: str
    icon: str
    text: str
    tool_count: int


def starters() -> list[Starter]:
    """All of them, the blank one first."""
    return [_starter(key, icon) for key, icon in ICONS.items()]


def _starter(key: str, icon: str) -> Starter:
    text = (settings.BASE_DIR / "templates" / "agents" / "starters" / f"{key}.yaml").read_text(encoding="utf-8")
    facts = facts_of(text)
    about = facts.description or "A name, a model and a prompt. Add the rest later."
    return Starter(key, facts.title or "Blank agent", about, icon, text, facts.tool_count)
