"""The agents list, new agents, imports and what is done with an agent as a whole."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from studio.models import Agent, AgentVersion
from studio.rights import Role
from studio.services.accounts import default_project
from studio.services.agent_shelf import archive_agent
from studio.services.agents import create_agent, publish
from studio.services.audit import Actor
from studio.services.demonstration import add_demonstration
from tests.fixtures import HOSTILE
from tests.people import browser_of, everybody, person

TEXT = "name: clerk\nmodel: playbook/echo\ntags: [shop]\ndescription: Sorts what comes in\n"

pytestmark = pytest.mark.django_db


@pytest.fixture
def author():
    return person("olga", Role.AUTHOR)


@pytest.fixture
def here(author) -> Client:
    return browser_of(author)


@pytest.fixture
def agent(author) -> Agent:
    return create_agent(Actor(author, "test"), default_project(), TEXT)


def page(here: Client, path: str) -> str:
    response = here.get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_without_agents_the_list_leads_to_the_first_run_page(here):
    assert here.get("/").headers["Location"] == "/welcome"
    assert "No agents yet." in page(here, "/welcome")


def test_the_first_run_page_offers_the_demonstration(here):
    add_demonstration(default_project())

    assert "Say hello to the demo agent" in page(here, "/welcome")


def test_who_never_talked_is_shown_the_way_to_the_first_steps(here, agent):
    assert "First steps" in page(here, "/")


def test_a_row_says_what_the_agent_is_and_that_it_is_a_draft(here, agent):
    listed = page(here, "/")

    for said in ("clerk", "Sorts what comes in", "shop", "playbook/echo", "draft", "no rollouts yet"):
        assert said in listed


def test_the_list_of_a_member_holds_published_agents_only(author, agent):
    mia = browser_of(person("mia"))
    assert mia.get("/").status_code == 302

    publish(Actor(author, "test"), agent)

    listed = page(mia, "/")
    assert "clerk" in listed
    assert "/agents/clerk/edit" not in listed


def test_the_filter_finds_by_word_tag_status_and_model(here, agent):
    for query in ("q=sorts", "tag=shop", "status=draft", "model=playbook/echo"):
        assert 'id="agent-clerk"' in page(here, f"/?{query}")
    for query in ("q=nothing", "tag=other", "status=live", "model=other"):
        assert "No agent matches" in page(here, f"/?{query}")


def test_an_archived_agent_is_found_under_its_status_and_comes_back(here, author, agent):
    archive_agent(Actor(author, "test"), agent)
    create_agent(Actor(author, "test"), default_project(), TEXT.replace("clerk", "other"))

    assert 'id="agent-clerk"' not in page(here, "/")
    assert 'id="agent-clerk"' in page(here, "/?status=archived")
    here.post("/agents/clerk/unarchive")
    assert 'id="agent-clerk"' in page(here, "/")


def test_a_new_agent_starts_from_a_template_that_can_be_published(here):
    for start in ("blank", "file-reader", "tutor"):
        response = here.post("/agents/new", {"name": f"my-{start}", "start": start})

        assert response.headers["Location"] == f"/agents/my-{start}/edit"
        assert "No problems" in page(here, f"/agents/my-{start}/edit")


def test_a_taken_or_bad_name_is_refused_beside_the_field(here, agent):
    for name, said in (("clerk", "There is an agent called clerk already"), ("Big One", "Use small letters")):
        response = here.post("/agents/new", {"name": name, "start": "blank"})

        assert response.status_code == 422
        assert said in response.content.decode()


def test_a_copy_opens_in_the_editor(here, agent):
    assert here.post("/agents/clerk/duplicate").headers["Location"] == "/agents/clerk-2/edit"


def test_an_export_is_the_text_as_a_file(here, agent):
    response = here.get("/agents/clerk/export")

    assert response.content.decode() == TEXT
    assert response.headers["Content-Disposition"] == 'attachment; filename="clerk.yaml"'


def test_an_agent_without_rollouts_is_deleted(here, agent):
    here.post("/agents/clerk/delete")

    assert not Agent.objects.exists()


def test_an_import_is_looked_at_before_anything_is_made(here):
    looked = here.post("/agents/import", {"text": TEXT}).content.decode()

    assert "Import as a draft" in looked
    assert not Agent.objects.exists()


def test_an_imported_file_keeps_its_line_ends(here):
    text = TEXT.replace("\n", "\r\n")
    looked = here.post("/agents/import", {"file": _file(text)}).content.decode()
    original = looked.split('name="original" value="')[1].split('"')[0]

    here.post("/agents/import", {"text": TEXT, "original": original, "import": "1"})

    assert Agent.objects.get().draft == text


def test_importing_a_known_name_warns_and_replaces_the_draft(here, agent):
    text = TEXT + "title: Clerk\n"
    assert "Importing replaces its draft" in here.post("/agents/import", {"text": text}).content.decode()

    here.post("/agents/import", {"text": text, "import": "1"})

    assert Agent.objects.get().draft == text


@pytest.mark.parametrize("path", sorted(HOSTILE.glob("*.[yj]*")), ids=lambda path: path.name)
def test_hostile_files_are_shown_in_words_on_import(here, path):
    text = path.read_bytes().decode("utf-8")

    looked = here.post("/agents/import", {"file": _file(text)})
    imported = here.post("/agents/import", {"text": text, "import": "1"})
    listed = here.get("/", follow=True)

    assert looked.status_code == 200
    assert imported.status_code < 500
    assert listed.status_code == 200
    assert not AgentVersion.objects.exists()


def test_only_authors_supervisors_and_administrators_write_agents(agent):
    allowed = {"author", "supervisor", "admin"}
    for word, user in everybody().items():
        if word == "anonymous":
            continue
        there = browser_of(user)
        codes = {
            there.get("/agents/clerk/edit").status_code,
            there.post("/agents/clerk/draft", {"text": "x", "base": "1"}).status_code,
            there.post("/agents/clerk/publish", {"text": "x", "base": "1", "note": "x"}).status_code,
            there.post("/agents/clerk/archive").status_code,
            there.get("/agents/new").status_code,
        }
        refused = codes <= {403, 404}
        assert refused is (word not in allowed), (word, codes)


def _file(text: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("agent.yaml", text.encode())
