"""What was recorded once means the same in every later version."""

from itertools import pairwise
from pathlib import Path

import pytest

from runtime.domain.apply import fold
from runtime.domain.context import render
from runtime.domain.events import StepStarted
from runtime.domain.trajectory import NO_PREDECESSOR
from runtime.engine.binding import sha256, tools_text
from tests.golden.golden_story import GoldenStory, outcome, read

FILES = sorted(Path(__file__).parent.glob("*.jsonl"))


@pytest.fixture(params=FILES, ids=[path.stem for path in FILES])
def story(request) -> GoldenStory:
    return read(request.param)


def test_every_event_reads_to_the_hash_that_it_was_stored_with(story):
    for rollout in story.rollouts:
        before = NO_PREDECESSOR
        for stored in story.trajectory(rollout.rollout):
            event = stored.restored()

            assert event.previous == before
            assert event.sha256.hex() == stored.sha256, f"{rollout.agent}, event {event.seq}"
            before = event.sha256


def test_seq_and_pos_have_no_gap_and_time_never_goes_back(story):
    assert [event.pos for event in story.events] == list(range(1, len(story.events) + 1))
    for rollout in story.rollouts:
        events = story.trajectory(rollout.rollout)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert all(before.at <= after.at for before, after in pairwise(events))


def test_every_prompt_is_made_again_to_the_recorded_hash(story):
    for rollout in story.rollouts:
        agent = rollout.bound()
        events = [event.restored() for event in story.trajectory(rollout.rollout)]
        steps = [event for event in events if isinstance(event.payload, StepStarted)]
        for step in steps:
            payload = step.payload
            prompt = render(fold(events[: step.seq - 1]), agent, model=payload.model, withhold=payload.withheld)

            assert prompt.sha256 == payload.prompt_sha256, f"{rollout.agent}, llm_{step.step}"
        assert steps


def test_the_tools_of_the_start_are_offered_still(story):
    for rollout in story.rollouts:
        started = story.trajectory(rollout.rollout)[0].restored()

        assert sha256(tools_text(rollout.bound())) == started.payload.tools_sha256


def test_the_fold_comes_to_the_same_end(story):
    for rollout in story.rollouts:
        shown, final = outcome([event.restored() for event in story.trajectory(rollout.rollout)], rollout.bound())

        assert {name: shown[name] for name in rollout.projection} == rollout.projection
        assert final == rollout.final


def test_the_story_is_whole(story):
    desk, *helpers = story.rollouts

    assert desk.final["business_state"] == "request_completed"
    assert desk.projection["lifecycle"] == "completed"
    assert {helper.agent for helper in helpers} == {"policy-researcher", "parts-finder"}
    assert {helper.parent for helper in helpers} == {desk.rollout}
