"""The refund story from end to end over AMP, on a real server with real timers."""

from collections.abc import Iterator

import pytest

from tests.acceptance.checking import check_database
from tests.acceptance.refund_story import REASON, RefundStory, of_desk, two_people
from tests.server import StudioServer

pytestmark = [pytest.mark.acceptance, pytest.mark.slow]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    data = tmp_path_factory.mktemp("refund")
    server = StudioServer(data).start(first_run=True)
    yield server
    server.stop()
    check_database(data)


@pytest.fixture(scope="module")
def refused() -> list[tuple[int, object]]:
    """What the studio answered to those who may not decide, or came too late."""
    return []


@pytest.fixture(scope="module")
def story(server: StudioServer, refused: list[tuple[int, object]]) -> RefundStory:
    """Told once; Maya tries to approve her own refund before Priya, and Priya once more after it was decided."""
    story = two_people(server)
    story.complain()
    story.stop_in_mid_sentence()
    story.ask_for_a_leg_instead()
    story.see_what_is_asked()
    refused.append(story.decide(story.maya, 189))
    story.approve(75)
    refused.append(story.decide(story.priya, 60))
    story.wait_for_the_carrier()
    return story


def payloads(story: RefundStory, type_: str) -> list[dict]:
    return [event["payload"] for event in of_desk(story.priya.events(story.session)) if event["type"] == type_]


def test_the_states_are_passed_in_order_and_the_last_one_ends_it(story):
    moves = [payload["to_state"] for payload in payloads(story, "state.update")]

    assert moves == ["processing_request", "waiting_for_approval", "request_completed"]
    assert payloads(story, "rollout.completed") == [
        {"by": "", "reason": "It came to the final state request_completed."}
    ]


def test_stop_in_mid_sentence_keeps_what_was_read_and_is_silent_until_she_writes(story):
    types = [event["type"] for event in of_desk(story.priya.events(story.session))]
    (cut,) = (payload for payload in payloads(story, "agent.output") if payload["interrupted"])
    stopped = types.index("user.interrupt")

    assert cut["content"].startswith("Thank you, I can see it.")
    assert types[stopped - 2 : stopped + 3] == [
        "agent.output",
        "step.aborted",
        "user.interrupt",
        "user.input",
        "step.started",
    ]


def test_two_agents_are_called_in_one_step_and_their_answers_are_its_results(story):
    invoked = {payload["call_id"]: payload["agent"] for payload in payloads(story, "agent.invocation")}
    answered = {payload["call_id"]: payload["final"] for payload in payloads(story, "agent.input")}

    assert sorted(invoked.values()) == ["parts-finder", "policy-researcher"]
    assert answered == dict.fromkeys(invoked, True)


def test_what_was_approved_is_what_was_paid_once(story):
    (decision,) = payloads(story, "approval.decision")
    paid = [payload for payload in payloads(story, "tool.result") if payload["call_id"] == decision["call_id"]]

    assert (decision["verdict"], decision["by"], decision["reason"]) == ("approve", "priya", REASON)
    assert decision["edited_args"]["amount"] == 75
    assert len(paid) == 1
    assert paid[0]["content"].startswith("Approved with changes by priya: amount 60 → 75.")
    assert sum(payload["call_id"] == decision["call_id"] for payload in payloads(story, "tool.started")) == 1


def test_only_who_is_asked_decides_and_only_once(story, refused):
    assert [status for status, _ in refused] == [403, 409]


def test_the_customer_is_not_shown_the_arguments_of_what_others_decide(story):
    _, found = story.maya.call("GET", f"/approvals/{story.asked['id']}")

    assert found["args"] is None


def test_the_reminder_is_cancelled_and_the_other_timer_goes_off_once(story):
    reminder, carrier = payloads(story, "timer.set")

    assert [payload["timer_id"] for payload in payloads(story, "timer.cancel")] == [reminder["timer_id"]]
    assert [payload["timer_id"] for payload in payloads(story, "timer.trigger")] == [carrier["timer_id"]]


def test_counts_and_states_that_are_shown_equal_the_events(story):
    _, session = story.priya.call("GET", f"/sessions/{story.session}")
    events = story.priya.events(story.session)
    desk, *helpers = session["rollouts"]

    assert (desk["lifecycle"], desk["business_state"]) == ("completed", "request_completed")
    assert {helper["lifecycle"] for helper in helpers} == {"completed"}
    for shown in session["rollouts"]:
        own = [event for event in events if event["rollout"] == shown["id"]]
        assert shown["last_seq"] == len(own)
        assert shown["records"] == sum(event["category"] == "lifecycle" for event in own)
        assert shown["tool_calls"] == sum(event["type"] == "tool.request" for event in own)
