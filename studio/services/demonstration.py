"""The demonstration agents: scripted, harmless, and there from the first run."""

import shutil
from pathlib import Path

from django.db import transaction

from runtime.domain.agent_file import read_agent_file
from runtime.engine.binding import sha256
from studio.models import Agent, AgentVersion, Project
from studio.wiring import workspace_root

SOURCE = Path(__file__).resolve().parent.parent / "demonstration"
FILES_FOLDER = "demonstration"


def add_demonstration(project: Project) -> list[Agent]:
    """Adds the demonstration agents that the project does not have, and the clerk's folder; those that were added."""
    _lay_out_files()
    return [agent for path in sorted(SOURCE.glob("*.yaml")) if (agent := _add(project, path.read_text()))]


def _lay_out_files() -> None:
    folder = workspace_root() / FILES_FOLDER
    if not folder.exists():
        shutil.copytree(SOURCE / "files", folder)


@transaction.atomic
def _add(project: Project, text: str) -> Agent | None:
    definition = read_agent_file(text).definition
    assert definition is not None, "a demonstration file that does not load is a slip of ours"
    if Agent.objects.filter(project=project, name=definition.name).exists():
        return None
    agent = Agent.objects.create(
        project=project,
        name=definition.name,
        title=definition.title,
        description=definition.description,
        tags=list(definition.tags),
        draft=text,
        is_demonstration=True,
    )
    AgentVersion.objects.create(agent=agent, number=1, text=text, sha256=sha256(text), note="Ships with Studio")
    return agent
