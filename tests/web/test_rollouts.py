"""The list of rollouts, and the questions that wait for a person."""

import pytest
from django.urls import reverse

from tests.people import browser_of, everybody
from tests.sessions import asked_about_pay, published_agent, session_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people():
    return everybody()


@pytest.fixture
def rollout(people):
    return asked_about_pay(session_of(people["member"], published_agent(people["author"]), "The bench"))


@pytest.fixture
def question(rollout) -> str:
    return f"a_{rollout.public_id.removeprefix('r_')}_6"


def read(user, route: str, *args: str, **query: str) -> str:
    return browser_of(user).get(reverse(route, args=args), query).content.decode()


def test_a_person_sees_their_own_rollouts_and_a_supervisor_all(people, rollout):
    address = reverse("rollout", args=[rollout.public_id])

    assert address in read(people["member"], "rollouts")
    assert address in read(people["supervisor"], "rollouts")
    assert "No rollouts yet" in read(people["other member"], "rollouts")


@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        ({"q": "bench"}, True),
        ({"q": "zebra"}, False),
        ({"agent": "echo"}, True),
        ({"agent": "other"}, False),
        ({"status": "approval"}, True),
        ({"status": "failed"}, False),
        ({"period": "day"}, True),
        ({"status": "no such", "period": "no such"}, True),
    ],
)
def test_the_list_is_filtered_by_its_address(people, rollout, query, is_found):
    shown = read(people["supervisor"], "rollouts", **query)

    assert (rollout.public_id in shown) is is_found
    assert ("No rollout matches" in shown) is not is_found


def test_fifty_rollouts_stand_on_a_page_and_the_next_ones_follow(people):
    agent = published_agent(people["author"])
    sessions = [session_of(people["member"], agent, f"Number {number}") for number in range(51)]

    first = read(people["member"], "rollouts")
    rest = browser_of(people["member"]).get(reverse("rollouts"), {"page": 2}, headers={"HX-Request": "true"})

    assert first.count("data-row") == 50
    assert 'hx-get="/rollouts?page=2"' in first
    assert rest.content.decode().count("data-row") == 1
    assert sessions[0].title in rest.content.decode()


def test_a_question_is_shown_whole_and_counted(people, rollout, question):
    shown = read(people["member"], "approval", question)

    assert "Did pay happen?" in shown
    assert "amount" in shown
    assert 'c-nav__count c-nav__count--due" data-nav-count="approvals">1<' in shown
    assert browser_of(people["member"]).get(reverse("nav-counts")).json()["approvals"] == 1
    assert [word in shown for word in ("It happened", "Run again", "Skip")] == [True, True, True]


def test_who_may_only_read_sees_no_arguments_and_no_buttons(people, rollout, question):
    shown = read(people["reviewer"], "approval", question)

    assert "Did pay happen?" in shown
    assert "amount" not in shown
    assert "Run again</button>" not in shown
    assert 'data-nav-count="approvals" hidden>0<' in shown
    assert browser_of(people["reviewer"]).get(reverse("nav-counts")).json()["approvals"] == 0


def test_nothing_is_waiting_for_who_has_no_questions(people, rollout):
    assert "Nothing is waiting." in read(people["other member"], "approvals")


def test_a_question_is_decided_once_and_the_later_one_is_told_who_was_first(people, rollout, question):
    decide = reverse("approval-decide", args=[question])

    first = browser_of(people["member"]).post(decide, {"verdict": "happened", "result": "paid"})
    second = browser_of(people["supervisor"]).post(decide, {"verdict": "skip"})

    assert first.status_code == 302
    assert second.status_code == 409
    assert "mia got here first and decided that it happened" in second.content.decode()
    assert "Nothing is waiting." in read(people["member"], "approvals")
    assert "mia: it happened" in read(people["member"], "approvals", state="decided")


def test_an_unknown_verdict_is_refused_in_words(people, rollout, question):
    response = browser_of(people["member"]).post(reverse("approval-decide", args=[question]), {"verdict": "maybe"})

    assert response.status_code == 400
    assert "Choose one of" in response.content.decode()
