"""A trajectory as a conversation: one message a step, calls as cards, a line for what happened between."""

import pytest

from runtime.domain.events import (
    ApprovalDecision,
    ApprovalRequest,
    LimitReached,
    RolloutCancelled,
    RolloutFailed,
    RolloutPaused,
    SupervisorInstruction,
    UserInterrupt,
)
from runtime.domain.trajectory import Draft
from studio.web.step_message import CallCard, Done, Words
from tests.web.told import MIA, SUE, aborted, answered, began, called, ended, ran, said, talk, words


def ids(items) -> list[str]:
    return [item.id for item in items]


def test_a_step_is_one_message_with_its_words_and_its_calls():
    items = talk(said("hi"), began(0), words(0, "One moment"), called("0.0"), ended(0))

    message = items[1].shown
    assert ids(items) == ["said-r_1-2", "step-r_1-0"]
    assert [type(part) for part in message.parts] == [Words, CallCard]
    assert message.state == ""


def test_a_step_that_has_just_begun_is_thinking():
    assert talk(said("hi"), began(0))[1].shown.state == "thinking"


def test_a_reply_that_was_cut_off_says_so_and_stop_stands_after_it():
    stop = Draft(UserInterrupt(name="Mia"), "u_mia")

    items = talk(said("hi"), began(0), words(0, "I can ref", interrupted=True), aborted(0, "urgent"), stop)

    assert items[1].shown.state == "cut"
    assert items[1].shown.parts[0].is_cut
    assert items[2].shown["line"].words == "Mia pressed Stop"


def test_an_attempt_that_left_no_words_leaves_no_message():
    items = talk(said("hi"), began(0), aborted(0, "urgent"), UserInterrupt(name="Mia"))

    assert ids(items) == ["said-r_1-2", "said-r_1-5"]


def test_a_step_stands_where_its_last_attempt_began():
    items = talk(said("hi"), began(0), aborted(0, "error", error="Overloaded"), said("still there?"), began(0, 2))

    assert ids(items) == ["said-r_1-2", "said-r_1-5", "step-r_1-0"]


def test_a_failed_attempt_says_why_until_the_next_one_begins():
    failed = [said("hi"), began(0), aborted(0, "error", error="Overloaded")]

    assert talk(*failed)[1].shown.fault == "Overloaded"
    assert talk(*failed, began(0, 2))[1].shown.fault == ""


def test_a_restart_says_how_much_was_read_from_the_log():
    items = talk(said("hi"), began(0), ended(0), began(1), aborted(1, "restart"), began(1, 2), words(1, "Hi"), ended(1))

    assert items[1].shown["line"].words == "Server restarted. 1 step read from the log, none run twice."
    assert ids(items)[2] == "step-r_1-1"


@pytest.mark.parametrize(
    ("happened", "word"),
    [
        ((), "starting"),
        ((ran("0.0"),), "running"),
        ((ran("0.0"), ran("0.0", 2)), "try 2"),
        ((answered("0.0"),), "done"),
        ((answered("0.0", "error"),), "failed"),
        ((answered("0.0", "cancelled"),), "stopped"),
        ((answered("0.0", "timed_out"),), "timed out"),
        ((answered("0.0", "limit"),), "limit reached"),
        ((answered("0.0", "unknown"),), "outcome unknown"),
        ((answered("0.0", "denied"),), "denied"),
        ((ran("0.0"), ApprovalRequest(call_id="0.0", why="unknown_outcome")), "needs a decision"),
    ],
)
def test_a_call_says_where_it_stands(happened, word):
    message = talk(said("hi"), began(0), called("0.0"), ended(0), *happened)[1].shown

    assert message.parts[0].word == word


def test_calls_that_are_done_fold_into_one_line_and_others_do_not():
    calls = [called("0.0", "a"), called("0.1", "b"), called("0.2", "c")]
    results = [answered("0.0", ms=400), answered("0.1", ms=500), answered("0.2", "error")]

    parts = talk(said("hi"), began(0), *calls, ended(0), *results)[1].shown.parts

    assert [type(part) for part in parts] == [Done, CallCard]
    assert (parts[0].names, parts[0].seconds) == ("a, b", 0.9)


def test_a_question_is_open_until_somebody_decides():
    asked = [called("0.0", amount=60), ended(0), ran("0.0"), ApprovalRequest(call_id="0.0", why="unknown_outcome")]
    decided = ApprovalDecision(call_id="0.0", verdict="skip", by="Sue", reason="paid by hand")

    is_open = talk(said("hi"), began(0), *asked)[1].shown.parts[0]
    is_closed = talk(said("hi"), began(0), *asked, decided, answered("0.0", "unknown"))[1].shown.parts[0]

    assert is_open.asked is not None
    assert is_closed.asked is None
    assert (is_closed.decisions[0].by, is_closed.decisions[0].said) == ("Sue", "Sue decided: skip it")


def test_a_participant_sees_calls_without_arguments_and_results():
    call = talk(said("hi"), began(0), called("0.0", amount=60), ended(0), answered("0.0"), viewer=MIA)[1].shown.parts[0]

    assert (call.tool, call.word) == ("look_up", "done")
    assert not call.has_body


def test_what_a_participant_may_not_see_is_not_in_the_conversation():
    instruction = SupervisorInstruction(content="be brief", by="Sue")

    assert ids(talk(said("hi"), instruction, viewer=MIA)) == ["said-r_1-2"]
    assert ids(talk(said("hi"), instruction, viewer=SUE)) == ["said-r_1-2", "said-r_1-3"]


def test_an_interrupt_with_words_is_a_message_under_its_line():
    item = talk(said("hi"), Draft(UserInterrupt(content="Wait", name="Mia"), "u_mia"), viewer=MIA)[1]

    assert item.part == "playground/_said.html"
    assert item.shown["own"]
    assert item.shown["line"].words == "Mia interrupted"


@pytest.mark.parametrize(
    ("payload", "words_", "action"),
    [
        (RolloutPaused(by="Priya"), "Paused by Priya", "resume"),
        (RolloutFailed(error="No answer"), "No answer. Nothing is lost.", "retry"),
        (RolloutCancelled(by="Priya"), "Cancelled by Priya. A new message starts it anew.", ""),
        (LimitReached(what="max_tool_calls", limit=12), "It was asked to answer with what it has.", ""),
    ],
)
def test_what_happened_is_said_in_one_line(payload, words_, action):
    line = talk(said("hi"), payload)[1].shown["line"]

    assert (line.words, line.action) == (words_, action)


def test_an_answer_that_hit_the_models_limit_says_so():
    message = talk(said("hi"), began(0), words(0, "and so"), ended(0, finish_reason="length"))[1].shown

    assert message.ending.startswith("The answer stopped at the longest length")
