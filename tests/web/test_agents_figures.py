"""The figures of the agents list: of what the viewer may see, and of what really happened."""

import pytest

from studio.models import AmpSession, User
from studio.queries.agent_rows import agent_rows, figures_for
from studio.queries.welcome import first_steps
from studio.rights import Role
from studio.services.agents import edit_field
from studio.services.audit import Actor
from studio.templatetags.quantities import duration, letters, percent, tokens, usd
from tests.people import browser_of, person
from tests.sessions import asked_about_pay, published_agent, session_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def author() -> User:
    return person("olga", Role.AUTHOR)


def test_a_rollout_that_waits_for_a_person_is_counted_and_drawn(author):
    mia = person("mia")
    rollout = asked_about_pay(session_of(mia, published_agent(author)))

    (row,) = agent_rows(mia)

    assert [(bar.public_id, bar.status) for bar in row.bars] == [(rollout.public_id, "waiting")]
    assert row.finished_well is None
    figures = figures_for(mia)
    assert (figures.rollouts, figures.waiting, figures.live) == (1, 1, 0)
    assert figures.oldest_waiting_at is not None


def test_others_rollouts_count_only_for_who_may_see_them(author):
    asked_about_pay(session_of(person("mia"), published_agent(author)))

    assert figures_for(author).rollouts == 0
    assert agent_rows(author)[0].bars == ()
    assert figures_for(person("sue", Role.SUPERVISOR)).rollouts == 1


def test_a_session_in_which_nothing_was_said_tells_nothing(author):
    session_of(author, published_agent(author))

    (row,) = agent_rows(author)

    assert (len(row.bars), row.finished_well, row.typical_seconds) == (1, None, None)


def test_a_row_tells_edits_that_are_not_published(author):
    agent = published_agent(author)
    assert agent_rows(author)[0].status == "live"

    edit_field(Actor(author, "test"), agent, "title", "New", base=1)

    assert agent_rows(author)[0].status == "edited"


def test_the_list_links_each_rollout_and_offers_to_try_the_agent(author):
    rollout = asked_about_pay(session_of(author, published_agent(author)))

    page = browser_of(author).get("/").content.decode()

    assert f'href="/rollouts/{rollout.public_id}"' in page
    assert 'action="/agents/echo/try"' in page


def test_trying_an_agent_opens_a_session_of_ones_own(author):
    published_agent(author)
    mia = browser_of(person("mia"))

    response = mia.post("/agents/echo/try")

    assert response.headers["Location"].startswith("/chat/s_")


def test_trying_twice_opens_the_session_in_which_nothing_was_said_yet(author):
    published_agent(author)
    mia = browser_of(person("mia"))
    first = mia.post("/agents/echo/try").headers["Location"]

    again = mia.post("/agents/echo/try").headers["Location"]
    mia.post(f"{first}/say", {"content": "Where is my parcel?"})
    later = mia.post("/agents/echo/try").headers["Location"]

    assert again == first
    assert later != first
    assert AmpSession.objects.get(public_id=first.rpartition("/")[2]).title == "Where is my parcel?"


def test_a_session_on_the_draft_is_not_taken_for_one_on_the_version(author):
    published_agent(author)
    browser = browser_of(author)

    on_draft = browser.post("/agents/echo/try", {"draft": "1"}).headers["Location"]

    assert browser.post("/agents/echo/try").headers["Location"] != on_draft
    assert browser.post("/agents/echo/try", {"draft": "1"}).headers["Location"] == on_draft


def test_a_member_may_not_try_a_draft(author):
    published_agent(author)

    assert browser_of(person("mia")).post("/agents/echo/try", {"draft": "1"}).status_code == 403


def test_a_draft_that_cannot_run_keeps_the_text_in_the_editor(author):
    published_agent(author)

    response = browser_of(author).post("/agents/echo/try", {"draft": "1", "text": "name: [half", "base": "1"})

    assert response.status_code >= 400
    assert response.status_code < 500
    assert "name: [half" in response.content.decode()


def test_the_first_steps_are_ticked_by_what_happened(author):
    agent = published_agent(author)
    assert first_steps(author).current == 2

    asked_about_pay(session_of(author, agent))

    done = {step.what: step.is_done for step in first_steps(author).steps}
    assert done["Watch it use a tool"]
    assert done["Change one line and publish"]
    assert not done["Press Stop in the middle"]


def test_numbers_are_written_as_people_read_them():
    assert [duration(seconds) for seconds in (0.4, 14, 112, 7500, 100_000)] == [
        "0.4s",
        "14s",
        "1m 52s",
        "2h 05m",
        "1d 3h",
    ]
    assert [usd(amount) for amount in (0, 0.0042, 18.4, 1234.5)] == ["$0.00", "$0.0042", "$18.40", "$1,234.50"]
    assert [percent(share) for share in (100, 95.36, None)] == ["100%", "95.4%", ""]
    assert [letters(name) for name in ("refund-desk", "clerk", "x", "")] == ["Rd", "Cl", "X", "?"]
    assert [tokens(text) for text in ("", "abcd" * 412, "a" * 72_800)] == ["", "about 412 tokens", "about 18.2k tokens"]
