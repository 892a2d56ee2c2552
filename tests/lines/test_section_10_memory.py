"""`runtime.md`, section 10: memory. What is said of dreaming stands elsewhere."""

import random

import pytest

from runtime.domain.apply import fold
from runtime.domain.definition import MemoryPolicy
from runtime.domain.events import StepStarted, UserInput
from tests.engine.test_memory import know, says

ELSEWHERE = {
    "Key-value per user, in the namespaces `user`": (
        "tests/stores/suite_of_memories.py::MemorySuite::test_people_namespaces_and_projects_are_apart"
    ),
    "and `agent` (this one)": "tests/engine/test_memory.py::test_an_agents_own_namespace_is_its_alone",
    "Each value has a version": (
        "tests/stores/suite_of_memories.py::MemorySuite::test_the_newest_version_is_read_and_the_older_ones_are_kept"
    ),
    "times, and where it came from (rollout, seq)": (
        "tests/web/test_memory.py::test_a_key_shows_where_it_came_from_and_what_stood_there_before"
    ),
    "Read by tools": "tests/engine/test_memory.py::test_a_recalled_value_is_in_the_prompt_and_not_in_the_event",
    "by injection": "tests/engine/test_memory.py::test_injected_values_stand_in_the_tail_alone",
    "with a token cap": "tests/engine/test_memory.py::test_values_beyond_the_token_cap_are_left_out_in_words",
    "The owner of a turn is the sender of the first event of its batch that is a person": (
        "tests/engine/test_memory.py::test_a_batch_belongs_to_its_first_person"
    ),
    "a timer's is that of the turn that set it": (
        "tests/engine/test_memory.py::test_a_timer_is_of_the_person_in_whose_turn_it_was_set"
    ),
    "a trigger's is its session's or its `user_by`, else none: then no personal memory": (
        "tests/engine/test_memory.py::test_a_trigger_has_nobodys_memory_unless_it_names_a_person"
    ),
    "Never from an argument": "tests/engine/test_memory.py::test_an_argument_never_says_whose_memory_it_is",
    "never another participant's": "tests/engine/test_memory.py::test_one_persons_memory_is_never_in_anothers_turn",
    "a `recall` result is shown in its owner's turn and stands as a note afterwards": (
        "tests/engine/test_memory.py::test_it_stays_away_when_its_owner_speaks_again"
    ),
    "Events name memory by owner, key, version and hash": (
        "tests/engine/test_memory.py::test_a_value_is_remembered_with_the_event_that_records_it"
    ),
    "values live in one erasable table": (
        "tests/stores/test_memories.py::TestDjangoStore::test_nothing_of_an_erased_value_is_left_in_any_table"
    ),
    "People see": "tests/web/test_memory.py::test_ones_own_memory_is_listed_with_who_wrote_it",
    "change": "tests/web/test_memory.py::test_a_change_is_a_new_version_by_ones_own_hand",
    "undo": "tests/web/test_memory.py::test_undo_brings_back_what_stood_there_and_then_nothing",
    "export": "tests/web/test_memory.py::test_the_export_has_every_version_and_nothing_of_others",
    "and erase their memory": "tests/web/test_memory.py::test_everything_is_erased_once_the_word_is_typed",
    "prompts over erased values say so": (
        "tests/services/test_memory_in_prompts.py::test_an_erased_value_is_said_to_be_erased"
    ),
    "What was written after reading untrusted content is marked, and not injected": (
        "tests/engine/test_memory.py::test_what_is_written_after_untrusted_reading_is_held_back"
    ),
    "until confirmed": "tests/web/test_memory.py::test_a_value_that_was_held_back_is_confirmed",
    "Full-text search": (
        "tests/stores/suite_of_memories.py::MemorySuite::"
        "test_a_search_finds_words_by_their_beginnings_whatever_their_capitals"
    ),
}

PEOPLE = {"u_maya": "Maya", "u_priya": "Priya", "u_sam": "Sam"}
TURNS = 12


@pytest.mark.parametrize("seed", range(20))
async def test_memory_of_one_participant_appears_in_no_prompt_of_anothers_turn(start, model, seed):
    chance = random.Random(seed)
    policy = MemoryPolicy(tools=("remember", "recall", "search_memory"), inject=("*",))
    rollout = await start(framework=True, memory=policy)
    for person in PEOPLE:
        await know(rollout, "secret", f"canary of {person}", owner=person)

    for _ in range(TURNS):
        _script(chance, model)
        first, second = chance.sample(list(PEOPLE), 2)
        if chance.random() < 0.3:
            await rollout.post(UserInput(content="hello", name=PEOPLE[first]), source=first)
        await says(rollout, "and now?", second, PEOPLE[second])

    owners = owners_of_steps(rollout)
    assert len(owners) == len(model.requests)
    for owner, request in zip(owners, model.requests, strict=True):
        prompt = str(request.messages)
        assert not [one for one in PEOPLE if one != owner and f"canary of {one}" in prompt]


def _script(chance: random.Random, model) -> None:
    match chance.randrange(4):
        case 0:
            model.calls(("recall", {"keys": ["*"]}))
        case 1:
            model.calls(("search_memory", {"query": "canary"}))
        case 2:
            model.calls(("remember", {"key": f"k{chance.randrange(3)}", "value": "blue"}))


def owners_of_steps(rollout) -> list[str]:
    """In whose turn each step was begun, by public id."""
    events = rollout.trajectory()
    return [
        fold(events[: place + 1]).ownership.owner
        for place, event in enumerate(events)
        if isinstance(event.payload, StepStarted)
    ]
