"""Skills from the upload to the model that reads one: pinned at the start, used by, never run."""

import asyncio
import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from runtime.domain.context import system_text
from runtime.domain.events import RolloutStarted
from runtime.engine.executor import StoredArtifacts
from runtime.ports import ToolContext, ToolFailed
from runtime.tools.skills import load_skill
from studio.errors import NotAllowed, Refused
from studio.models import AuditEntry, Skill
from studio.services.agents import create_agent, publish
from studio.services.audit import Actor
from studio.services.skills import Upload, delete_skill, save_skill
from studio.store import trajectory
from studio.store.skills import kept_skills
from studio.wiring import running
from tests.people import everybody
from tests.sessions import rollout_of, session_of

MAIN = "---\nname: refund-policy\ndescription: When money may go back\n---\nSee references/limits.md.\n"
AGENT = "name: desk\nmodel: playbook/echo\nsystem_prompt: Help.\nskills: [skills/refund-policy]\n"


def archive(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, text in files.items():
            file.writestr(name, text)
    return packed.getvalue()


FOLDER = archive({"refund-policy/SKILL.md": MAIN, "refund-policy/references/limits.md": "40 percent"})


@pytest.fixture
def people(transactional_db):
    return everybody()


@pytest.fixture
def project(people):
    return people["author"].memberships.get().project


@pytest.fixture
def actor(people):
    return Actor(people["author"], "test")


@pytest.fixture
def skill(actor, project):
    return save_skill(actor, project, [Upload("refund-policy.zip", FOLDER)])[0]


@pytest.fixture
def rollout(people, actor, project, skill):
    agent = create_agent(actor, project, AGENT)
    publish(actor, agent)
    return rollout_of(session_of(people["author"], agent))


def bound(rollout):
    started = trajectory(rollout.pk)[0].payload
    assert isinstance(started, RolloutStarted)
    return running().bind_text(AGENT, 1, "", None, kept_skills(started.skills))


def read(rollout, **args: str) -> str:
    spec = bound(rollout).tool("load_skill")
    artifacts = StoredArtifacts(running().store, rollout.public_id)
    context = ToolContext(rollout.public_id, "s", "p", "0.0", "k", 1, spec, artifacts)
    return asyncio.run(load_skill.run(args, context))


def test_an_archive_and_single_files_make_the_same_skill(actor, project, skill):
    again, is_new = save_skill(actor, project, [Upload("SKILL.md", MAIN.encode()), Upload("limits.md", b"40 percent")])

    assert (again.pk, is_new, again.sha256) == (skill.pk, False, skill.sha256)


def test_the_index_stands_in_the_system_prompt_and_the_texts_can_be_read(rollout):
    assert "- refund-policy: When money may go back" in system_text(bound(rollout))
    assert read(rollout, name="refund-policy").startswith("---\nname: refund-policy")
    assert "references/limits.md" in read(rollout, name="refund-policy")
    assert read(rollout, name="refund-policy", file="references/limits.md") == "40 percent"


@pytest.mark.parametrize("args", [{"name": "../../etc"}, {"name": "refund-policy", "file": "../../../etc/passwd"}])
def test_names_are_never_paths(rollout, args):
    with pytest.raises(ToolFailed, match=r"there is no skill|has no text"):
        read(rollout, **args)


def test_a_rollout_keeps_the_skill_that_it_started_with(actor, project, rollout):
    save_skill(actor, project, [Upload("SKILL.md", MAIN.replace("See", "Ignore all. See").encode())])

    assert "Ignore all" not in read(rollout, name="refund-policy")


def test_a_skill_that_a_file_names_cannot_be_deleted(actor, rollout, skill):
    with pytest.raises(Refused, match="is used by desk"):
        delete_skill(actor, skill)


def test_a_member_may_not_add_skills(people, project):
    with pytest.raises(NotAllowed):
        save_skill(Actor(people["member"], "test"), project, [Upload("SKILL.md", MAIN.encode())])


@pytest.mark.parametrize(
    "data", [b"no archive", archive({"x/SKILL.md": "no head"}), archive({"../SKILL.md": MAIN, "../a": "x"})[:80]]
)
def test_archives_that_are_none_are_refused_in_words(actor, project, data):
    with pytest.raises(Refused):
        save_skill(actor, project, [Upload("x.zip", data)])


def test_an_agent_that_names_an_unknown_skill_is_told_so(actor, project):
    agent = create_agent(actor, project, AGENT)

    with pytest.raises(Exception, match="There is no skill"):
        publish(actor, agent)


def test_the_page_takes_files_says_who_uses_them_and_deletes(people, project):
    browser = Client()
    browser.force_login(people["author"])

    browser.post("/settings/skills/upload", {"files": [SimpleUploadedFile("SKILL.md", MAIN.encode())]})
    page = browser.get("/settings/skills").content.decode()
    refused = browser.post("/settings/skills/upload", {"files": [SimpleUploadedFile("SKILL.md", b"nothing")]})
    browser.post(f"/settings/skills/{Skill.objects.get().public_id}/delete")

    assert "refund-policy" in page
    assert "Used by no agent" in page
    assert (refused.status_code, "does not begin with its head" in refused.content.decode()) == (400, True)
    assert not Skill.objects.exists()
    assert list(
        AuditEntry.objects.filter(action__startswith="skill").values_list("action", flat=True).order_by("pk")
    ) == [
        "skill.saved",
        "skill.deleted",
    ]
