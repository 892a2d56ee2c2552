"""One inbox: decisions about calls, questions to supervisors, questions to oneself."""

import pytest
from django.db import connection

from runtime.domain.events import AgentEscalation, AgentOutput, RolloutResumed, TimerTrigger, ToolRequest
from runtime.domain.trajectory import AGENT, Draft
from studio.models import Rollout
from studio.queries.asking import rollouts_that_asked, waiting_outputs
from studio.services.client_event import ClientEvent
from studio.services.messages import post_event
from tests.api.door import Door
from tests.sessions import asked_for_leave, record, rollout_of, step


def inbox(user) -> list[dict]:
    return Door(user)("GET", "/approvals")[1]["approvals"]


def escalate(session, **more):
    rollout = rollout_of(session)
    asked = AgentEscalation(call_id="0.0", tool="escalate", reason="Over my limit", question="May I?", **more)
    record(rollout, step(Draft(asked, AGENT, step=0)))
    return rollout


def test_an_escalation_waits_for_the_supervisors(people, session):
    escalate(session, severity="high", deadline=1_900_000_000_000_000, then="pause")

    (shown,) = inbox(people["supervisor"])
    assert (shown["kind"], shown["state"], shown["severity"], shown["question"]) == (
        "escalation",
        "pending",
        "high",
        "May I?",
    )
    assert (shown["deadline"], shown["then"]) == ("2030-03-17T17:46:40.000000Z", "pause")
    assert Door(people["supervisor"])("GET", f"/approvals/{shown['id']}")[1] == shown
    for word in ("member", "reviewer", "author", "stranger"):
        assert inbox(people[word]) == []
        assert Door(people[word])("GET", f"/approvals/{shown['id']}")[0] == 404


def test_an_instruction_answers_an_escalation(people, session):
    escalate(session)
    post_event(people["supervisor"], session, ClientEvent("supervisor.instruction", "Yes, do"))

    assert inbox(people["supervisor"]) == []


@pytest.mark.parametrize(
    "answer", [RolloutResumed(by="Sue"), TimerTrigger(timer_id="escalation-0.0", due_at=1_700_000_000_000_000)]
)
def test_so_do_going_on_and_the_deadline(people, session, answer):
    rollout = escalate(session)
    record(rollout, [Draft(answer)])

    assert inbox(people["supervisor"]) == []


def test_an_escalation_is_not_decided_like_a_call(people, session):
    escalate(session)
    door = Door(people["supervisor"])
    (shown,) = inbox(people["supervisor"])

    status, problem = door("POST", f"/approvals/{shown['id']}", {"verdict": "deny"})

    assert (status, problem["detail"]) == (400, "Answer it with a supervisor.instruction to the agent.")


def test_a_question_waits_for_whom_it_asks(people, session):
    form = {"type": "object", "properties": {"amount": {"type": "number"}}}
    output = AgentOutput(content="How much?", to=people["member"].public_id, waits=True, call_id="0.0", form=form)
    record(rollout_of(session), step(Draft(output, AGENT, step=0)))

    (shown,) = inbox(people["member"])
    assert (shown["kind"], shown["content"], shown["form"], shown["call_id"]) == (
        "question",
        "How much?",
        form,
        "0.0",
    )
    assert inbox(people["supervisor"]) == []
    assert Door(people["supervisor"])("GET", f"/approvals/{shown['id']}")[0] == 404


def test_the_oldest_of_two_questions_is_answered_first(people, session):
    asked = [
        Draft(AgentOutput(content=text, to=people["member"].public_id, waits=True, call_id=id_), AGENT, step=0)
        for id_, text in (("0.0", "How much?"), ("0.1", "To whom?"))
    ]
    record(rollout_of(session), step(*asked))

    post_event(people["member"], session, ClientEvent("user.input", "60"))

    assert [shown["content"] for shown in inbox(people["member"])] == ["To whom?"]


def test_all_kinds_stand_in_one_list(people, session):
    call = ToolRequest(call_id="0.0", tool="pay", args={"amount": 60})
    asked_for_leave(session, call)
    asked = AgentEscalation(call_id="1.0", tool="escalate", reason="Over my limit")
    record(rollout_of(session), step(Draft(asked, AGENT, step=1), number=1))

    assert [shown["kind"] for shown in inbox(people["supervisor"])] == ["approval", "escalation"]


def plan_of(rows) -> str:
    with connection.cursor() as cursor:
        text, parameters = rows.query.sql_with_params()
        cursor.execute(f"EXPLAIN QUERY PLAN {text}", parameters)
        return " | ".join(str(row[-1]) for row in cursor.fetchall())


def test_what_asks_is_found_by_its_index(people):
    plan = plan_of(rollouts_that_asked(people["supervisor"], is_open=True))

    assert "SCAN studio_event" not in plan
    assert "event_that_asks" in plan


def test_questions_to_people_are_found_by_theirs(session):
    assert "event_that_waits" in plan_of(waiting_outputs(Rollout.objects.filter(session=session)))
