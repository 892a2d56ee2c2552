"""Images and texts that people send along: kept, shown to the model, given back as files, refused in words."""

import base64

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from runtime.domain.urgency import moved
from studio.errors import Refused
from studio.models import AmpSession, Artifact
from studio.services.agents import create_agent, publish
from studio.services.attachments import attachments_in, encoded
from studio.services.audit import Actor
from studio.services.client_event import ClientEvent
from studio.services.messages import post_event
from studio.store import pending_events
from tests.people import everybody
from tests.sessions import published_agent, record, rollout_of, session_of

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
def people(transactional_db):
    return everybody()


@pytest.fixture
def session(people):
    return session_of(people["member"], published_agent(people["author"]))


def browser_of(person) -> Client:
    browser = Client()
    browser.force_login(person)
    return browser


def said(session: AmpSession):
    [waiting] = pending_events(rollout_of(session).pk)
    return waiting


def send(person, session, *files: tuple[str, bytes], text: str = "look"):
    sent = [SimpleUploadedFile(name, data) for name, data in files]
    answer = browser_of(person).post(
        f"/chat/{session.public_id}/say", {"content": text, "files": sent}, HTTP_ACCEPT="application/json"
    )
    return answer.status_code, answer.json()


def test_an_image_is_kept_and_named_in_the_message(people, session):
    status, _ = send(people["member"], session, ("leg.png", PNG), text="")

    [file] = said(session).payload.files
    assert status == 202
    assert (file.name, file.media_type, file.bytes) == ("leg.png", "image/png", len(PNG))
    assert Artifact.objects.get(id=file.id).text.startswith("data:image/png;base64,")


def test_a_text_has_its_head_in_the_message(people, session):
    send(people["member"], session, ("notes.md", b"# Order 48213"))

    [file] = said(session).payload.files
    assert (file.media_type, file.head) == ("text/plain", "# Order 48213")


def test_what_a_file_is_is_read_from_its_bytes(people, session):
    send(people["member"], session, ("../../evil.html", PNG))

    [file] = said(session).payload.files
    assert (file.name, file.media_type) == ("evil.html", "image/png")


@pytest.mark.parametrize(
    ("files", "word"),
    [
        ([("x.exe", b"MZ\x00\x01\xff\xfe")], "cannot be read"),
        ([("empty.txt", b"")], "is empty"),
        ([("big.txt", b"x" * (2 * 1024 * 1024 + 1))], "over 2 MiB"),
        ([(f"{n}.txt", b"x") for n in range(6)], "at most 5 files"),
    ],
)
def test_what_cannot_be_sent_is_refused_in_words(people, session, files, word):
    status, told = send(people["member"], session, *files)

    assert status in (400, 413)
    assert word in told["error"]
    assert not pending_events(rollout_of(session).pk)


def test_an_image_for_a_model_that_sees_none_is_refused_in_words(people):
    author = people["author"]
    actor = Actor(author, "test")
    text = "name: blind\nmodel: openai/gpt-3.5-turbo\n"
    agent = create_agent(actor, author.memberships.get().project, text)
    publish(actor, agent)
    session = session_of(author, agent)

    status, told = send(author, session, ("leg.png", PNG))

    assert (status, told["error"]) == (
        400,
        "leg.png was not sent: the model of blind cannot see images. Describe it.",
    )


@pytest.mark.parametrize("given", ["x", [1], [{"name": "a", "data": "***"}], [{"name": "a"}]])
def test_files_over_the_api_that_are_none_are_refused(given):
    with pytest.raises(Refused):
        attachments_in(given)


def recorded_file(people, session):
    event = ClientEvent("user.input", "look", payload={"files": [encoded("leg.png", PNG)]})
    post_event(people["member"], session, event)
    waiting = said(session)
    record(rollout_of(session), [moved(waiting)])
    return f"/chat/{session.public_id}/files/{rollout_of(session).public_id}/{waiting.payload.files[0].id}"


def test_a_file_is_given_back_as_an_attachment_that_no_browser_runs(people, session):
    answer = browser_of(people["member"]).get(recorded_file(people, session))

    assert answer.content == PNG
    assert answer["Content-Type"] == "image/png"
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]


def test_the_page_shows_the_image(people, session):
    address = recorded_file(people, session)

    assert f'src="{address}"' in browser_of(people["member"]).get(f"/chat/{session.public_id}").content.decode()


def test_nobody_else_gets_it(people, session):
    address = recorded_file(people, session)

    assert browser_of(people["other member"]).get(address).status_code == 404
    assert browser_of(people["member"]).get(address.rpartition("/")[0] + "/input-e_1").status_code == 404
