"""A person decides about a call whose outcome is not known: once, whoever clicks twice."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from studio.errors import StudioError
from studio.models import Rollout
from studio.services.decisions import AlreadyDecided, decide
from studio.store import pending_events
from tests.api.door import Door
from tests.sessions import asked_about_pay


@pytest.fixture
def asked(session):
    return asked_about_pay(session)


def question(people) -> dict:
    status, answer = Door(people["member"])("GET", "/approvals")
    assert (status, len(answer["approvals"])) == (200, 1)
    return answer["approvals"][0]


def test_the_owner_is_asked_with_the_exact_arguments(people, asked):
    shown = question(people)

    assert (shown["tool"], shown["args"], shown["why"]) == ("pay", {"amount": 60}, "unknown_outcome")
    assert shown["verdicts"] == ["run_again", "happened", "skip"]


def test_who_may_only_read_sees_no_arguments_and_may_not_decide(people, asked):
    door = Door(people["reviewer"])
    (shown,) = door("GET", "/approvals")[1]["approvals"]

    assert (shown["args"], shown["verdicts"]) == (None, [])
    assert door("POST", f"/approvals/{shown['id']}", {"verdict": "skip"})[0] == 403


@pytest.mark.parametrize("word", ["other member", "author", "stranger"])
def test_others_do_not_know_of_the_question(people, asked, word):
    door = Door(people[word])

    assert door("GET", "/approvals")[1] == {"approvals": []}
    assert door("POST", f"/approvals/{question(people)['id']}", {"verdict": "skip"})[0] == 404


def test_a_decision_waits_for_the_rollout_with_its_result(people, asked):
    body = {"verdict": "happened", "result": "paid 60", "reason": "seen in the bank"}

    status, shown = Door(people["member"])("POST", f"/approvals/{question(people)['id']}", body)

    (decision,) = [item.payload for item in pending_events(asked.pk)]
    assert (status, shown["state"], shown["decided"]["by"]) == (200, "decided", "mia")
    assert (decision.call_id, decision.verdict, decision.result, decision.by) == ("0.0", "happened", "paid 60", "mia")


def test_the_same_person_may_click_twice(people, asked):
    path = f"/approvals/{question(people)['id']}"
    door = Door(people["member"])

    answers = [door("POST", path, {"verdict": "skip"}) for _ in range(2)]

    assert [status for status, _ in answers] == [200, 200]
    assert len(pending_events(asked.pk)) == 1


def test_who_comes_later_is_told_who_decided_what_and_when(people, asked):
    path = f"/approvals/{question(people)['id']}"
    Door(people["member"])("POST", path, {"verdict": "skip"})

    status, problem = Door(people["supervisor"])("POST", path, {"verdict": "run_again"})

    assert (status, problem["decided"]["by"], problem["decided"]["verdict"]) == (409, "mia", "skip")
    assert problem["detail"] == f"mia decided this before: skip, at {problem['decided']['at']}."


def test_one_of_many_at_once_decides(people, asked):
    deciders = [people[word] for word in ("member", "supervisor", "admin")] * 4

    def click(user) -> str:
        try:
            return decide(user, asked, "0.0", "run_again").id
        except AlreadyDecided:
            return "late"
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        ids = set(pool.map(click, deciders))

    assert len(ids - {"late"}) == 1
    assert len(pending_events(asked.pk)) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"verdict": "approve"},
        {"verdict": "deny"},
        {"verdict": "skip", "result": "x"},
        {"verdict": "skip", "args": {}},
        {},
    ],
)
def test_verdicts_that_make_no_sense_are_refused(people, asked, body):
    status, _ = Door(people["member"])("POST", f"/approvals/{question(people)['id']}", body)

    assert status in (400, 422)
    assert pending_events(asked.pk) == []


def test_a_question_of_a_cancelled_rollout_is_no_longer_open(people, asked):
    Rollout.objects.filter(pk=asked.pk).update(lifecycle="cancelled")
    asked.refresh_from_db()

    with pytest.raises(StudioError, match="no longer open"):
        decide(people["member"], asked, "0.0", "skip")
    assert Door(people["member"])("GET", "/approvals")[1] == {"approvals": []}
