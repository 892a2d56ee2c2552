"""The hub hands out what happens, and never waits for a reader."""

import asyncio

from runtime.domain.events import AbortWhy, StepAborted, StepStarted
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, Event, place
from runtime.ports import Projection, RolloutInfo
from studio.hub import Behind, Delta, InProcessHub, Queued, Recorded
from studio.hub.reader import MAX_FRAMES

INFO = RolloutInfo("r_1", "s_1", "p_1", "tutor", 1, "name: tutor\n")
PROJECTION = Projection("running")


def event(seq: int, payload, step: int = 0) -> Event:
    return place(Draft(payload, step=step), seq, 1000 + seq, NO_PREDECESSOR)


def step_started(seq: int = 3) -> Event:
    return event(seq, StepStarted(model="playbook/echo", seen=2, prompt_sha256="0" * 64))


def opened() -> InProcessHub:
    """A hub with a step in flight."""
    hub = InProcessHub()
    hub.recorded(INFO, [step_started()], PROJECTION)
    return hub


async def test_pieces_that_came_meanwhile_are_joined():
    hub = opened()
    reader = hub.join("s_1")
    for offset, text in ((0, "Hel"), (3, "lo"), (5, " you")):
        hub.delta(INFO, 0, 1, 0, offset, "output", text)

    frames = await reader.take()

    assert frames == [Delta("r_1", "tutor", 3, 0, 1, 0, 0, "output", "Hello you")]


async def test_pieces_of_other_blocks_are_not_joined():
    hub = opened()
    reader = hub.join("s_1")
    hub.delta(INFO, 0, 1, 0, 0, "thought", "Hm")
    hub.delta(INFO, 0, 1, 1, 0, "output", "Hello")

    assert [frame.text for frame in await reader.take()] == ["Hm", "Hello"]


async def test_who_joins_in_mid_answer_finds_the_text_so_far():
    hub = opened()
    hub.delta(INFO, 0, 1, 0, 0, "output", "Hel")
    hub.delta(INFO, 0, 1, 0, 3, "output", "lo")

    step, blocks = hub.open_texts("r_1")

    assert (step.step, step.attempt, step.since) == (0, 1, 3)
    assert blocks == [(0, "output", "Hello")]


async def test_the_text_so_far_is_dropped_with_its_step():
    hub = opened()
    hub.delta(INFO, 0, 1, 0, 0, "output", "Hello")

    hub.recorded(INFO, [event(4, StepAborted(why=AbortWhy.URGENT))], PROJECTION)

    assert hub.open_texts("r_1") is None


async def test_nothing_of_an_attempt_is_handed_out_after_its_end():
    hub = opened()
    hub.recorded(INFO, [event(4, StepAborted(why=AbortWhy.URGENT))], PROJECTION)
    reader = hub.join("s_1")

    hub.delta(INFO, 0, 1, 0, 5, "output", " late")
    hub.recorded(INFO, [step_started(5)], PROJECTION)

    assert [type(frame) for frame in await reader.take()] == [Recorded]


async def test_readers_of_other_sessions_hear_nothing():
    hub = opened()
    reader = hub.join("s_2")
    hub.delta(INFO, 0, 1, 0, 0, "output", "Hello")
    hub.recorded(INFO, [], PROJECTION)

    assert reader.waiting() == []


async def test_a_reader_that_is_too_slow_is_told_to_read_again():
    hub = opened()
    reader = hub.join("s_1")
    for _ in range(MAX_FRAMES + 1):
        hub.recorded(INFO, [], PROJECTION)

    assert await reader.take() == [Behind()]


async def test_a_word_about_a_queue_from_another_thread_reaches_the_readers():
    hub = InProcessHub()
    reader = hub.join("s_1")
    hub.watch("s_1", ["r_1"])

    await asyncio.to_thread(hub.queued, "r_1")

    assert await reader.take() == [Queued("r_1")]


async def test_a_reader_that_left_costs_nothing():
    hub = opened()
    reader = hub.join("s_1")
    hub.watch("s_1", ["r_1"])
    hub.leave("s_1", reader)

    hub.delta(INFO, 0, 1, 0, 0, "output", "Hello")
    hub.queued("r_1")

    assert hub.readers == 0
    assert reader.waiting() == []


async def test_an_erased_session_leaves_no_text_behind():
    hub = opened()
    hub.delta(INFO, 0, 1, 0, 0, "output", "secret")

    hub.erased("s_1")

    assert hub.open_texts("r_1") is None
