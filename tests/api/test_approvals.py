"""A call waits for leave: who may give it, for which arguments, and how many people must."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runtime.domain.arguments import args_sha256
from runtime.domain.events import (
    ApprovalDecision,
    ApprovalRequest,
    ApprovalWhy,
    ResultStatus,
    ToolRequest,
    ToolResult,
    ToolStarted,
    Verdict,
)
from runtime.domain.trajectory import Draft
from studio.models import AcceptedKey, AuditEntry, Rollout, StandingGrant
from studio.queries.asked import with_asked
from studio.queries.open_questions import open_question_count
from studio.queries.questions import questions_of
from studio.queries.shown import Placed, shown_to
from studio.queries.viewer import viewer_of
from studio.services.decisions import AlreadyDecided, decide_question
from studio.store import pending_events, trajectory
from tests.api.door import Door
from tests.people import person
from tests.sessions import agent_with, asked_for_leave, record, session_of

REFUND = "tools: [{name: issue_refund, approval: %s}]\n"
PAY = ToolRequest(call_id="0.0", tool="issue_refund", args={"order_id": "48213", "amount": 60, "reason": "broken"})


@pytest.fixture
def desk(people):
    return session_of(people["member"], agent_with(people["author"], "desk", REFUND % "always"))


def ask(session, **asked) -> Rollout:
    return asked_for_leave(session, PAY, **asked)


def listed(door) -> dict:
    (shown,) = door("GET", "/approvals")[1]["approvals"]
    return shown


def say(door, verdict="approve", **more) -> tuple[int, dict]:
    """The door's person answers the one question, as it is shown now."""
    shown = listed(door)
    hashed = {"args_sha256": shown["args_sha256"]} if verdict == "approve" else {}
    return door("POST", f"/approvals/{shown['id']}", {"verdict": verdict} | hashed | more)


def decisions(rollout) -> list[ApprovalDecision]:
    return [item.payload for item in pending_events(rollout.pk)]


def test_the_question_shows_what_is_asked_and_how_long(people, desk):
    rollout = ask(desk, expires_at=1_900_000_000_000_000, approvers=("owner",))

    assert (rollout.lifecycle, rollout.waiting_for) == ("waiting", "approval")
    shown = listed(Door(people["member"]))

    assert (shown["kind"], shown["why"], shown["tool"], shown["args"]) == ("approval", "policy", PAY.tool, PAY.args)
    assert (shown["needed"], shown["approved_by"], shown["verdicts"]) == (1, [], ["approve", "deny"])
    assert (shown["expires_at"], shown["approvers"]) == ("2030-03-17T17:46:40.000000Z", ["owner"])
    assert shown["grants"] == ["session", "value:order_id", "value:amount", "value:reason"]


def test_an_approval_is_bound_to_the_arguments(people, desk):
    rollout = ask(desk)

    status, shown = say(Door(people["member"]), reason="it is broken")

    (decision,) = decisions(rollout)
    assert (status, shown["state"], shown["decided"]["by"]) == (200, "decided", "mia")
    assert decision.verdict is Verdict.APPROVE
    assert decision.args_sha256 == args_sha256(PAY.tool, PAY.args)
    assert AuditEntry.objects.get(action="approval.decided").after["args_sha256"] == decision.args_sha256


def test_a_denial_has_its_reason(people, desk):
    rollout = ask(desk)

    say(Door(people["member"]), "deny", reason="too much")

    assert [(said.verdict, said.reason) for said in decisions(rollout)] == [(Verdict.DENY, "too much")]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"verdict": "approve", "args_sha256": "0" * 64}, 409, "The arguments have changed"),
        ({"verdict": "skip"}, 400, "Choose one of: approve, deny."),
        ({"verdict": "deny", "args": {}}, 400, "go with the verdict approve only"),
        ({"verdict": "deny", "grant": "session"}, 400, "go with the verdict approve only"),
        ({"verdict": "deny", "result": "x"}, 400, "goes with the verdict happened only"),
        ({"verdict": "maybe"}, 422, "verdict"),
    ],
)
def test_decisions_that_make_no_sense_are_refused_in_words(people, desk, body, status, words):
    rollout = ask(desk)
    door = Door(people["member"])

    answered, problem = door("POST", f"/approvals/{listed(door)['id']}", body)

    assert (answered, words in problem["detail"]) == (status, True), problem
    assert decisions(rollout) == []


def test_what_nobody_knows_the_outcome_of_is_shown_as_it_ran(people, desk):
    rollout = ask(desk)
    edited = {**PAY.args, "amount": 75}
    decided = ApprovalDecision(
        call_id="0.0", verdict=Verdict.APPROVE, edited_args=edited, args_sha256=args_sha256(PAY.tool, edited), by="Sue"
    )
    asked = ApprovalRequest(call_id="0.0", why=ApprovalWhy.UNKNOWN_OUTCOME)
    record(
        rollout,
        [
            Draft(decided, people["supervisor"].public_id, id="e_1", received_at=1),
            Draft(ToolStarted(call_id="0.0"), step=0),
            Draft(asked, step=0),
        ],
    )
    (shown,) = Door(people["member"])("GET", "/approvals?state=pending")[1]["approvals"]

    assert (shown["why"], shown["args"]) == ("unknown_outcome", edited)
    viewer = viewer_of(desk, people["member"])
    (card,) = with_asked(events_of(rollout, "approval.request", viewer)[-1:], viewer)
    assert card["asked"]["args"] == edited


def events_of(rollout, type_: str, viewer) -> list[dict]:
    """The rollout's events of that type, as the viewer is shown them."""
    session = rollout.session.public_id
    placed = (Placed(session, rollout.public_id, "desk", event) for event in trajectory(rollout.pk))
    return [shown for one in placed if (shown := shown_to(one, viewer)).get("type") == type_]


def test_without_a_hash_the_arguments_are_meant_that_the_question_has(people, desk):
    rollout = ask(desk)
    door = Door(people["member"])

    status, _ = door("POST", f"/approvals/{listed(door)['id']}", {"verdict": "approve"})

    assert status == 200
    assert decisions(rollout)[0].args_sha256 == args_sha256(PAY.tool, PAY.args)


def test_edited_arguments_are_approved_in_place_of_the_models(people, desk):
    rollout = ask(desk)

    status, shown = say(Door(people["member"]), args=PAY.args | {"amount": 40})

    (decision,) = decisions(rollout)
    assert (status, shown["decided"]["edited"], shown["args"]["amount"]) == (200, True, 40)
    assert decision.edited_args == PAY.args | {"amount": 40}
    assert decision.args_sha256 == args_sha256(PAY.tool, decision.edited_args)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (PAY.args | {"amount": "much"}, "`amount` must be a number"),
        ({"amount": 1, "reason": "x"}, "`order_id` is missing"),
        (PAY.args | {"colour": "red"}, "`colour` is not known here"),
    ],
)
def test_edited_arguments_must_fit_the_tool_and_the_field_is_named(people, desk, args, words):
    rollout = ask(desk)

    status, problem = say(Door(people["member"]), args=args)

    assert (status, words in problem["detail"]) == (422, True), problem
    assert decisions(rollout) == []


@pytest.mark.parametrize(
    ("approvers", "may"),
    [
        ((), {"member", "supervisor", "admin"}),
        (("supervisors",), {"supervisor", "admin"}),
        (("admins",), {"supervisor", "admin"}),
        (("owner",), {"member", "supervisor", "admin"}),
        (("otto",), {"other member", "supervisor", "admin"}),
    ],
)
def test_who_may_decide(people, desk, approvers, may):
    ask(desk, approvers=approvers)

    found = {word for word in people if people[word] and open_question_count(people[word])}

    assert found == may


def test_a_named_person_sees_the_question_and_not_the_session_around_it(people, desk):
    ask(desk, approvers=("otto",))
    door = Door(people["other member"])

    assert listed(door)["args"] == PAY.args
    assert door("GET", f"/sessions/{desk.public_id}")[0] == 404
    assert say(door)[0] == 200


def test_a_shown_name_makes_nobody_an_approver(people, desk):
    otto = people["other member"]
    otto.display_name = "priya"
    otto.save()
    ask(desk, approvers=("priya",))

    assert Door(otto)("GET", "/approvals")[1] == {"approvals": []}


def test_what_ones_own_message_led_to_another_must_approve(people, desk):
    rollout = ask(desk, requested_by=people["member"].public_id)
    door = Door(people["member"])

    assert listed(door)["verdicts"] == ["deny"]
    status, problem = say(door)
    assert (status, problem["detail"].startswith("You may not approve what your own message led to.")) == (403, True)
    assert say(Door(people["supervisor"]))[0] == 200
    assert len(decisions(rollout)) == 1


def test_two_of_two_must_approve_each_once(people, desk):
    rollout = ask(desk, needed=2)
    mia = Door(people["member"])

    first = say(mia)[1]
    again = mia("POST", f"/approvals/{first['id']}", {"verdict": "approve", "args_sha256": first["args_sha256"]})
    second = say(Door(people["supervisor"]))[1]

    assert (first["state"], first["approved_by"], first["verdicts"]) == ("pending", ["mia"], ["deny"])
    assert (again[0], len(decisions(rollout))) == (200, 2), "a second click of the first is the first one's"
    assert (second["state"], second["approved_by"]) == ("decided", ["mia", "sue"])


def test_one_of_two_may_say_no(people, desk):
    ask(desk, needed=2)
    say(Door(people["member"]))

    shown = say(Door(people["supervisor"]), "deny")[1]

    assert (shown["state"], shown["decided"]["verdict"], shown["decided"]["by"]) == ("decided", "deny", "sue")


def test_an_edit_asks_everybody_anew(people, desk):
    rollout = ask(desk, needed=2)
    before = listed(Door(people["admin"]))
    say(Door(people["member"]))

    edited = say(Door(people["supervisor"]), args=PAY.args | {"amount": 40})[1]
    late = Door(people["admin"])(
        "POST", f"/approvals/{before['id']}", {"verdict": "approve", "args_sha256": before["args_sha256"]}
    )
    done = say(Door(people["admin"]))[1]

    assert (edited["approved_by"], edited["args"]["amount"]) == (["sue"], 40)
    assert (late[0], late[1]["detail"].startswith("The arguments have changed")) == (409, True)
    assert (done["state"], done["approved_by"]) == ("decided", ["sue", "ada"])
    assert decisions(rollout)[-1].args_sha256 == edited["args_sha256"]


def test_who_had_approved_before_an_edit_approves_what_was_edited_with_the_same_words(people, desk):
    rollout = ask(desk, needed=2)
    mia, sue = Door(people["member"]), Door(people["supervisor"])
    before = say(mia)[1]
    say(sue, args=PAY.args | {"amount": 40})

    late = mia("POST", f"/approvals/{before['id']}", {"verdict": "approve", "args_sha256": before["args_sha256"]})[1]
    done = say(mia)[1]

    assert (late["state"], late["approved_by"]) == ("pending", ["sue"]), "a click of before the edit is that of before"
    assert (done["state"], done["approved_by"]) == ("decided", ["sue", "mia"])
    assert len(decisions(rollout)) == 3


def test_what_nobody_knows_the_outcome_of_can_be_decided_after_a_stop(people, desk):
    rollout = ask(desk)
    approved = ApprovalDecision(call_id="0.0", verdict=Verdict.APPROVE, by="Sue")
    stopped = ToolResult(call_id="0.0", status=ResultStatus.UNKNOWN, content="Stopped while it ran.")
    record(
        rollout,
        [
            Draft(approved, people["supervisor"].public_id, id="e_1", received_at=1),
            Draft(ToolStarted(call_id="0.0"), step=0),
            Draft(ApprovalRequest(call_id="0.0", why=ApprovalWhy.UNKNOWN_OUTCOME), step=0),
            Draft(stopped, step=0),
        ],
    )

    status, shown = say(Door(people["member"]), "skip")

    assert (status, shown["decided"]["verdict"]) == (200, "skip")


def test_many_questions_of_a_session_cost_as_many_statements_as_one(people, desk, django_assert_num_queries):
    rollout = ask(desk)
    with CaptureQueriesContext(connection) as one:
        open_question_count(people["supervisor"])
    others = [Draft(ApprovalRequest(call_id=f"0.{n}", why=ApprovalWhy.LIMIT), step=0) for n in range(1, 20)]
    record(rollout, others)

    with django_assert_num_queries(len(one)):
        assert open_question_count(people["supervisor"]) == 20


def test_many_at_once_decide_once(people, desk):
    rollout = ask(desk)
    wishes = [("member", "approve"), ("supervisor", "deny"), ("admin", "approve")] * 3

    def click(wish) -> str:
        word, verdict = wish
        (question,) = questions_of(rollout)
        hashed = question.args_sha256 if verdict == "approve" else ""
        try:
            return decide_question(people[word], question, verdict, args_sha256=hashed).id
        except AlreadyDecided:
            return "late"
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        ids = set(pool.map(click, wishes))

    assert len(ids - {"late"}) == 1
    assert len(decisions(rollout)) == 1


def test_many_at_once_give_as_many_approvals_as_are_needed(people, desk):
    rollout = ask(desk, needed=2)
    others = [person(f"priya-{number}", role="supervisor") for number in range(4)]

    def click(user) -> str:
        (question,) = questions_of(rollout)
        try:
            return decide_question(user, question, "approve", args_sha256=question.args_sha256).id
        except AlreadyDecided:
            return "late"
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(click, others * 2))

    assert len(set(ids) - {"late"}) == len(decisions(rollout)) == 2


def test_what_was_decided_stays_decided_when_its_key_is_forgotten(people, desk):
    rollout = ask(desk)
    decided = ApprovalDecision(call_id="0.0", verdict=Verdict.DENY, by="Sue")
    record(rollout, [Draft(decided, people["supervisor"].public_id, id="e_1", received_at=1)])
    AcceptedKey.objects.all().delete()
    door = Door(people["member"])
    (shown,) = door("GET", "/approvals?state=decided")[1]["approvals"]

    status, problem = door(
        "POST", f"/approvals/{shown['id']}", {"verdict": "approve", "args_sha256": shown["args_sha256"]}
    )

    assert (status, problem["decided"]["by"], problem["decided"]["verdict"]) == (409, "Sue", "deny")
    assert decisions(rollout) == []


def test_when_it_was_decided_stays_the_same_once_it_is_recorded(people, desk):
    rollout = ask(desk)
    decided = ApprovalDecision(call_id="0.0", verdict=Verdict.DENY, by="Sue")
    record(rollout, [Draft(decided, people["supervisor"].public_id, id="e_1", received_at=1_700_000_000_000_000)])

    (shown,) = Door(people["member"])("GET", "/approvals?state=decided")[1]["approvals"]

    assert shown["decided"]["at"] == "2023-11-14T22:13:20.000000Z"


def test_a_stopped_call_is_not_asked_about_any_more(people, desk):
    rollout = ask(desk)
    door = Door(people["member"])
    shown = listed(door)
    record(rollout, [Draft(ToolResult(call_id="0.0", status=ResultStatus.CANCELLED), step=0)])

    status, problem = door(
        "POST", f"/approvals/{shown['id']}", {"verdict": "approve", "args_sha256": shown["args_sha256"]}
    )

    assert (status, problem["detail"]) == (409, "The call was stopped; the question is no longer open.")
    assert door("GET", f"/approvals/{shown['id']}")[1]["state"] == "withdrawn"


def test_after_its_time_a_question_takes_no_decision(people, desk):
    rollout = ask(desk, expires_at=1_700_000_000_000_000)

    status, problem = say(Door(people["member"]))

    assert (status, "was open until 2023-11-14T22:13:20" in problem["detail"]) == (409, True)
    assert decisions(rollout) == []


def test_a_move_that_needs_leave_is_asked_about_too(people, desk):
    move = ToolRequest(call_id="0.0", tool="update_rollout_state", args={"to": "paid"})
    asked_for_leave(desk, move, why=ApprovalWhy.TRANSITION, to_state="paid")

    shown = listed(Door(people["member"]))

    assert (shown["why"], shown["to_state"], shown["grants"]) == ("transition", "paid", [])
    assert say(Door(people["member"]))[0] == 200


# -- standing grants


@pytest.mark.parametrize(
    ("word", "who", "argument", "value", "is_everywhere"),
    [
        ("session", "member", "", None, False),
        ("value:amount", "member", "amount", 60, False),
        ("agent", "supervisor", "", None, True),
        ("value:order_id", "supervisor", "order_id", "48213", True),
    ],
)
def test_a_grant_is_made_with_the_approval(people, desk, word, who, argument, value, is_everywhere):
    rollout = ask(desk)

    status, _ = say(Door(people[who]), grant=word, reason="always fine")

    grant = StandingGrant.objects.get()
    assert (status, decisions(rollout)[0].grant) == (200, word)
    assert (grant.tool, grant.agent.name, grant.argument, grant.value) == (PAY.tool, "desk", argument, value)
    assert (grant.session is None, grant.given_by, grant.reason) == (is_everywhere, people[who], "always fine")


@pytest.mark.parametrize(
    ("word", "status", "words"),
    [
        ("agent", 403, "You may not allow this in every session of the agent."),
        ("value:colour", 400, "the name of an argument of this call"),
        ("forever", 400, "session, agent, or value:"),
    ],
)
def test_grants_that_cannot_be_given_are_refused(people, desk, word, status, words):
    rollout = ask(desk)

    answered, problem = say(Door(people["member"]), grant=word)

    assert (answered, words in problem["detail"]) == (status, True), problem
    assert (decisions(rollout), StandingGrant.objects.count()) == ([], 0)


def test_what_two_must_approve_each_time_takes_no_grant(people, desk):
    ask(desk, needed=2)

    status, problem = say(Door(people["member"]), grant="session")

    assert (status, problem["detail"].startswith("2 people must approve each of these calls.")) == (400, True)


def test_a_tool_that_asks_once_is_granted_for_the_session(people):
    session = session_of(people["member"], agent_with(people["author"], "once", REFUND % "once"))
    ask(session)

    say(Door(people["member"]))

    assert StandingGrant.objects.get().session == session


def test_a_decision_that_comes_too_late_gives_no_grant(people, desk):
    rollout = ask(desk)
    (question,) = questions_of(rollout)
    say(Door(people["supervisor"]), "deny")

    with pytest.raises(AlreadyDecided):
        decide_question(people["member"], question, "approve", args_sha256=question.args_sha256, grant="session")

    assert StandingGrant.objects.count() == 0


def test_grants_are_listed_and_revoked(people, desk):
    ask(desk)
    say(Door(people["supervisor"]), grant="session")
    door = Door(people["member"])

    (grant,) = door("GET", "/grants")[1]["grants"]
    answers = [door("DELETE", f"/grants/{grant['id']}")[0] for _ in range(2)]

    assert (grant["tool"], grant["session"], grant["given_by"]) == (PAY.tool, desk.public_id, "sue")
    assert answers == [204, 409]
    assert door("GET", "/grants")[1] == {"grants": []}
    assert door("GET", "/grants?state=revoked")[1]["grants"][0]["revoked_by"] == "mia"
    assert AuditEntry.objects.get(action="grant.revoked").subject == grant["id"]


def test_others_neither_see_nor_revoke_a_grant(people, desk):
    ask(desk)
    say(Door(people["member"]), grant="session")
    grant = StandingGrant.objects.get()

    for word in ("other member", "stranger"):
        assert Door(people[word])("GET", "/grants")[1] == {"grants": []}
        assert Door(people[word])("DELETE", f"/grants/{grant.public_id}")[0] == 404
    assert Door(people["reviewer"])("DELETE", f"/grants/{grant.public_id}")[0] == 403


REASON = "mail sends to the outside, and the agent has read what nobody vouches for (fetch in call 0.0)."


def test_a_call_that_may_leak_says_why_and_its_grant_stands_for_such_calls(people, desk):
    ask(desk, why=ApprovalWhy.TAINT, reason=REASON)
    shown = listed(Door(people["member"]))

    say(Door(people["supervisor"]), grant="agent")

    assert (shown["why"], shown["reason"], shown["grants"][0]) == ("taint", REASON, "session")
    assert StandingGrant.objects.get().covers_taint
    assert Door(people["supervisor"])("GET", "/grants")[1]["grants"][0]["covers_taint"] is True


def test_a_grant_for_other_calls_does_not_stand_for_those_that_may_leak(people, desk):
    ask(desk)

    say(Door(people["supervisor"]), grant="session")

    assert not StandingGrant.objects.get().covers_taint


def test_a_tool_that_asks_once_gets_no_grant_for_a_call_that_may_leak(people):
    session = session_of(people["member"], agent_with(people["author"], "once", REFUND % "once"))
    ask(session, why=ApprovalWhy.TAINT, reason=REASON)

    say(Door(people["member"]))

    assert StandingGrant.objects.count() == 0
