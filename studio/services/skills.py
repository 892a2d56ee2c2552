"""Skills are uploaded and deleted. Only a folder that is a skill is kept; nothing of it is ever run."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from runtime.domain.skill import MAIN, MOST_CHARACTERS, MOST_FILES, SkillRefused, read_skill
from runtime.domain.text import is_fit
from studio.errors import Refused
from studio.models import Project, Skill
from studio.queries.skills import agents_with
from studio.services.agents import must_write
from studio.services.audit import Actor, record
from studio.wiring import running

MOST_BYTES = 4 * MOST_CHARACTERS
REFERENCES = "references/"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as a browser sends it: its bare name and its bytes."""

    name: str
    data: bytes


@transaction.atomic
def save_skill(actor: Actor, project: Project, uploads: Sequence[Upload]) -> tuple[Skill, bool]:
    """The skill in these files, or in the one archive; and whether it is new. Raises NotAllowed, Refused."""
    must_write(actor, project)
    files = _unzipped(uploads[0].data) if _is_archive(uploads) else _placed(uploads)
    try:
        read = read_skill({name: _text(name, data) for name, data in files.items()})
    except SkillRefused as error:
        raise Refused(str(error)) from error
    found = Skill.objects.select_for_update().filter(project=project, name=read.name).first()
    skill = found or Skill(project=project, name=read.name)
    before = {"sha256": found.sha256} if found else None
    skill.description, skill.packed, skill.sha256 = read.description, read.packed, read.sha256
    skill.changed_by, skill.changed_at = actor.user, timezone.now()
    skill.save()
    record(actor, "skill.saved", read.name, before=before, after={"sha256": read.sha256})
    return skill, found is None


@transaction.atomic
def delete_skill(actor: Actor, skill: Skill) -> None:
    """Removes it; rollouts that have it keep it. Raises NotAllowed, and Refused while an agent's file names it."""
    must_write(actor, skill.project)
    agents = agents_with(skill)
    if agents:
        raise Refused(f"The skill {skill.name} is used by {', '.join(agents)}. Take it out of their files first.")
    record(actor, "skill.deleted", skill.name, before={"sha256": skill.sha256})
    skill.delete()


def _is_archive(uploads: Sequence[Upload]) -> bool:
    return len(uploads) == 1 and uploads[0].name.lower().endswith(".zip")


def _placed(uploads: Sequence[Upload]) -> Mapping[str, bytes]:
    """Single files: SKILL.md, and the others as texts that it refers to."""
    return {_place(upload.name): upload.data for upload in uploads[: MOST_FILES + 1]}


def _place(name: str) -> str:
    bare = name.replace("\\", "/").rpartition("/")[2]
    return MAIN if bare.lower() == MAIN.lower() else REFERENCES + bare


def _unzipped(data: bytes) -> Mapping[str, bytes]:
    """The files of an archive, from the folder that holds SKILL.md. Raises Refused."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            if len(infos) > MOST_FILES or sum(info.file_size for info in infos) > MOST_BYTES:
                raise Refused(f"A skill has at most {MOST_FILES} files and {MOST_CHARACTERS:,} characters.")
            inside = {info.filename: archive.open(info).read(MOST_BYTES + 1) for info in infos}
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError) as error:
        raise Refused("This archive cannot be read. Pack the folder again as an ordinary .zip file.") from error
    mains = sorted((name for name in inside if name.rpartition("/")[2] == MAIN), key=len)
    folder = mains[0].removesuffix(MAIN) if mains else ""
    return {name.removeprefix(folder): data for name, data in inside.items() if name.startswith(folder)}


def _text(name: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"{name[:80]} is no text in UTF-8. Skills hold texts only.") from error
    if not is_fit(text):
        raise Refused(f"{name[:80]} has a NUL character, which cannot be kept. Skills hold texts only.")
    return running().redactor.redact(text)
