"""The playground's pages and posts, as people in every role meet them."""

import pytest
from django.test import Client
from django.urls import reverse

from runtime.domain.events import ToolRequest
from runtime.domain.trajectory import AGENT, Draft
from studio.models import AmpSession, PendingEvent, Rollout, SessionState
from studio.services.sessions import archive_session
from studio.store import pending_events
from tests.people import browser_of, everybody
from tests.sessions import asked_about_pay, published_agent, record, rollout_of, session_of, step

WRITES = ("session-say", "session-rename", "session-archive", "session-delete")

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people():
    return everybody()


@pytest.fixture
def agent(people):
    return published_agent(people["author"])


@pytest.fixture
def session(people, agent):
    return session_of(people["member"], agent, "The member's")


@pytest.fixture
def mia(people) -> Client:
    return browser_of(people["member"])


def say(browser: Client, session: AmpSession, content: str, **more: str):
    headers = {"Accept": "application/json", "Idempotency-Key": more.pop("key", "")} if more.pop("script", "y") else {}
    return browser.post(reverse("session-say", args=[session.public_id]), {"content": content, **more}, headers=headers)


def text_of(response) -> str:
    return response.content.decode()


def waiting(session: AmpSession) -> list:
    return [item.payload for item in pending_events(rollout_of(session).pk)]


def test_ones_sessions_are_listed_with_title_and_status(mia, session):
    page = text_of(mia.get(reverse("playground")))

    assert "The member&#x27;s" in page
    assert "waiting" in page


def test_each_session_says_its_last_line_where_it_stands_and_whether_it_works(mia, session):
    Rollout.objects.filter(session=session).update(
        last_text="It is order 48213", lifecycle="running", waiting_for="", business_state="processing_request"
    )

    page = text_of(mia.get(reverse("session-list")))

    assert "It is order 48213" in page
    assert "running" in page
    assert '<span class="c-state__name">processing_request</span>' in page


def test_a_search_looks_at_titles_and_agents_and_says_when_it_finds_nothing(mia, session):
    assert "The member" in text_of(mia.get(reverse("session-list"), {"q": "echo member"}))
    assert "No session has “zebra”" in text_of(mia.get(reverse("session-list"), {"q": "zebra"}))


def test_a_person_without_sessions_is_invited_to_start_one(people):
    assert "No sessions yet" in text_of(browser_of(people["other member"]).get(reverse("playground")))


def test_a_session_is_shown_to_those_who_may_see_it_and_to_nobody_else(people, session):
    path = reverse("session", args=[session.public_id])
    found = {word: browser_of(user).get(path).status_code for word, user in people.items()}

    assert found == {
        "anonymous": 302,
        "member": 200,
        "other member": 404,
        "author": 404,
        "reviewer": 200,
        "supervisor": 200,
        "admin": 200,
        "stranger": 404,
    }


@pytest.mark.parametrize(
    "route", ["session-say", "session-stop", "session-rename", "session-archive", "session-delete"]
)
def test_who_may_not_see_a_session_changes_nothing_in_it(people, session, route):
    for word in ("other member", "author", "stranger"):
        assert (
            browser_of(people[word]).post(reverse(route, args=[session.public_id]), {"content": "x"}).status_code == 404
        )

    assert waiting(session) == []
    assert AmpSession.objects.get().state == SessionState.OPEN


@pytest.mark.parametrize("route", WRITES)
def test_a_reviewer_reads_and_is_told_that_they_may_not_write(people, session, route):
    browser = browser_of(people["reviewer"])

    answer = browser.post(reverse(route, args=[session.public_id]), {"content": "x"})

    assert answer.status_code == 403
    assert "You may read this session, not write in it" in text_of(
        browser.get(reverse("session", args=[session.public_id]))
    )


def test_a_new_session_offers_agents_then_openers(mia, agent):
    assert "Who do you want to talk to?" in text_of(mia.get(reverse("session-new")))
    assert "What can you do for me?" in text_of(mia.get(reverse("session-new"), {"agent": "echo"}))


def test_a_first_message_starts_one_session_however_often_it_is_posted(mia, agent):
    for _ in range(2):
        answer = mia.post(reverse("session-new"), {"agent": "echo", "content": "Hello", "key": "k-1"})

    session = AmpSession.objects.get()
    assert answer.headers["Location"] == reverse("session", args=[session.public_id])
    assert [item.content for item in waiting(session)] == ["Hello"]


def test_an_agent_that_is_not_there_is_said_in_words_and_the_text_is_kept(mia, agent):
    answer = mia.post(reverse("session-new"), {"agent": "nobody", "content": "Hello"})

    assert answer.status_code == 400
    assert "There is no agent" in text_of(answer)


def test_a_message_is_accepted_once_by_its_key(mia, session):
    first = say(mia, session, "Hello", key="k-1")
    again = say(mia, session, "Hello", key="k-1")

    assert (first.status_code, first.json()["state"]) == (202, "pending")
    assert again.json() == first.json()
    assert len(waiting(session)) == 1


def test_without_scripts_a_message_posts_and_the_page_shows_it_waiting(mia, session):
    answer = mia.post(reverse("session-say", args=[session.public_id]), {"content": "Hello"}, follow=True)

    assert answer.redirect_chain[-1][0] == reverse("session", args=[session.public_id])
    assert "1 waiting." in text_of(answer)


def test_what_is_refused_is_said_to_a_script_in_one_sentence(mia, session):
    answer = say(mia, session, "   ")

    assert answer.status_code == 400
    assert answer.json() == {"error": "The message is empty. Write something first."}


def test_words_that_cannot_be_kept_are_refused(mia, session):
    assert "NUL character" in say(mia, session, "a\0b").json()["error"]


def test_ctrl_enter_interrupts_with_the_text(mia, session):
    say(mia, session, "Wait", mode="interrupt")

    assert [(item.type, item.content) for item in waiting(session)] == [("user.interrupt", "Wait")]


def test_a_supervisor_of_anothers_session_instructs(people, session):
    browser = browser_of(people["supervisor"])
    say(browser, session, "Be brief")

    assert [(item.type, item.content) for item in waiting(session)] == [("supervisor.instruction", "Be brief")]
    assert "Instruct the agent as a supervisor" in text_of(browser.get(reverse("session", args=[session.public_id])))


def test_stop_is_a_bare_interrupt(mia, session):
    mia.post(reverse("session-stop", args=[session.public_id]))

    assert [(item.type, item.content) for item in waiting(session)] == [("user.interrupt", "")]


def test_a_call_that_runs_on_the_side_is_listed_and_is_stopped_alone(mia, session):
    rollout = rollout_of(session)
    record(rollout, step(Draft(ToolRequest(call_id="0.0", tool="look_up", args={}, mode="async"), AGENT, step=0)))
    page = text_of(mia.get(reverse("session-state", args=[session.public_id])))

    mia.post(reverse("session-stop", args=[session.public_id]), {"call_id": "0.0", "rollout": rollout.public_id})

    assert "Running on the side" in page
    assert 'aria-label="Stop look_up"' in page
    assert [(event.type, event.call_id) for event in waiting(session)] == [("user.interrupt", "0.0")]


def test_a_waiting_message_is_taken_back_or_made_an_interrupt(mia, session):
    for text in ("first", "second"):
        say(mia, session, text)
    first, second = PendingEvent.objects.order_by("order").values_list("id", flat=True)

    mia.post(reverse("session-pending-remove", args=[session.public_id, first]))
    mia.post(reverse("session-pending-interrupt", args=[session.public_id, second]))

    assert [(item.type, item.content) for item in waiting(session)] == [("user.interrupt", "second")]


def test_anothers_waiting_message_stays(people, session, mia):
    say(mia, session, "mine")
    event = PendingEvent.objects.get().id

    answer = browser_of(people["reviewer"]).post(reverse("session-pending-remove", args=[session.public_id, event]))

    assert answer.status_code == 403
    assert len(waiting(session)) == 1


def test_pause_is_for_supervisors_and_cancel_for_the_owner_too(people, session, mia):
    control = reverse("session-control", args=[session.public_id])
    rollout = rollout_of(session).public_id

    assert mia.post(control, {"rollout": rollout, "action": "pause"}).status_code == 403
    assert mia.post(control, {"rollout": rollout, "action": "cancel"}).status_code == 302
    assert mia.post(control, {"rollout": "r_none", "action": "cancel"}).status_code == 404


def test_a_question_shows_the_whole_call_and_is_decided_once(people, session, mia):
    rollout = asked_about_pay(session)
    page = text_of(mia.get(reverse("session", args=[session.public_id])))
    path = reverse("session-decision", args=[f"a_{rollout.public_id.removeprefix('r_')}_6"])

    first = mia.post(path, {"verdict": "happened", "result": "paid"})
    later = browser_of(people["supervisor"]).post(path, {"verdict": "skip"}, headers={"Accept": "application/json"})

    assert "&quot;amount&quot;: 60" in page
    assert first.status_code == 302
    assert (later.status_code, "decided this before" in later.json()["error"]) == (409, True)


def test_who_may_not_see_the_session_cannot_decide_in_it(people, session):
    rollout = asked_about_pay(session)
    path = reverse("session-decision", args=[f"a_{rollout.public_id.removeprefix('r_')}_6"])

    assert browser_of(people["other member"]).post(path, {"verdict": "skip"}).status_code == 404
    assert browser_of(people["reviewer"]).post(path, {"verdict": "skip"}).status_code == 403


def test_a_session_is_renamed_archived_brought_back_and_deleted(mia, session):
    mia.post(reverse("session-rename", args=[session.public_id]), {"title": "Another title"})
    mia.post(reverse("session-archive", args=[session.public_id]))
    archived = text_of(mia.get(reverse("playground"), {"archived": "1"}))
    mia.post(reverse("session-unarchive", args=[session.public_id]))
    mia.post(reverse("session-delete", args=[session.public_id]))

    assert "Another title" in archived
    assert mia.get(reverse("session", args=[session.public_id])).status_code == 404


def test_an_archived_session_can_be_read_and_not_written_in(people, session, mia):
    archive_session(people["member"], session)

    assert "This session is archived" in text_of(mia.get(reverse("session", args=[session.public_id])))
    assert say(mia, session, "Hello").status_code == 409


def test_prompts_are_for_those_who_may_read_them(people, session, mia):
    path = reverse("session-prompt", args=[session.public_id])

    assert "Nothing was sent to the model yet" in text_of(browser_of(people["supervisor"]).get(path))
    assert "Prompts are read by supervisors" in text_of(mia.get(reverse("session", args=[session.public_id])))


def test_people_and_agents_join_and_leave_and_the_session_is_shown_on_its_page(people, session):
    published_agent(people["author"], "finder")
    mia, here = browser_of(people["member"]), reverse("session-people", args=[session.public_id])
    for posted in ({"user": people["other member"].public_id}, {"agent": "finder"}, {"reader": "aron"}):
        assert mia.post(here, posted).status_code == 302

    page = mia.get(here).content.decode()
    assert page.count('aria-label="Remove ') == 2
    assert "Show it to aron no longer" in page
    assert mia.post(here, {"reader": "otto"}).status_code == 400

    left = browser_of(people["other member"]).post(
        reverse("session-person-remove", args=[session.public_id, people["other member"].public_id])
    )
    assert left.url == reverse("playground")
    shown = browser_of(people["author"]).get(here)
    assert shown.status_code == 200
    assert "<select" not in shown.content.decode()
