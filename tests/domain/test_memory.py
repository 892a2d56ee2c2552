"""What an agent file says of the memory: its problems, what it grants, and which calls it offers."""

import pytest

from runtime.domain.agent_file import read_agent_file
from runtime.domain.framework import framework_specs
from runtime.domain.memory import Memory, MemoryScope, injected, matching, value_sha256
from runtime.domain.memory_search import search_words

HEAD = "name: a\nmodel: playbook/echo\n"
SCOPE = MemoryScope("p_1", "u_maya", "user")


def memory(key: str, value: str | None = "x", at: int = 0, **more) -> Memory:
    return Memory(key, 1, value, value_sha256(value), at, **more)


def test_every_field_but_dreaming_acts():
    file = read_agent_file(
        HEAD + "memory:\n  namespace: agent\n  tools: [remember, recall]\n  inject: [language, 'orders.*']\n"
        "  capture: [language]\n  max_inject_tokens: 50\n"
    )

    assert file.problems == ()


def test_dreaming_cannot_be_published_yet():
    file = read_agent_file(HEAD + "memory: {dream: {after: session}}\n")

    assert [problem.message for problem in file.errors] == [
        "`dream` does not act yet, so this version cannot be published. Remove it to publish."
    ]


@pytest.mark.parametrize("place", ["memory: {inject: ['%s']}", "memory: {capture: ['%s']}"])
@pytest.mark.parametrize("pattern", ["two words", "a/b", "x" * 101])
def test_a_pattern_that_no_key_can_match_is_an_error(place, pattern):
    file = read_agent_file(HEAD + place % pattern + "\n")

    assert [problem.message.startswith("No key can match") for problem in file.errors] == [True]


def test_all_means_every_key_also_in_a_list():
    for written in ("all", "[all]", "['*']"):
        file = read_agent_file(HEAD + f"memory: {{inject: {written}}}\n")
        assert file.definition.memory.inject == ("*",)


def test_a_template_that_names_the_memory_of_an_agent_without_one_gets_a_hint():
    template = "user_prompt_template: 'In {{ memory.language }}.'\n"

    assert "stays empty" in read_agent_file(HEAD + template).problems[0].message
    assert read_agent_file(HEAD + template + "memory: {}\n").problems == ()


def test_what_it_grants_is_said():
    granted = read_agent_file(HEAD + "memory: {tools: [remember, recall], inject: all}\n").granted

    assert "May keep and forget things about the person it talks to, in the memory that all agents share." in granted
    assert "Is shown everything of that memory in each prompt, at most 1000 tokens." in granted


def test_the_calls_are_offered_that_the_file_lists():
    definition = read_agent_file(HEAD + "memory: {tools: [search_memory, remember]}\n").definition

    names = [spec.name for spec in framework_specs(definition, {})]

    assert [name for name in names if name in ("remember", "recall", "search_memory", "forget")] == [
        "remember",
        "search_memory",
    ]


def test_patterns_come_in_their_order_then_the_newest_and_nothing_unsure():
    known = [memory("b", at=1), memory("a", at=2), memory("z"), memory("no", None), memory("held", is_tainted=True)]

    assert [one.key for one in matching(known, ("z", "*"))] == ["z", "a", "b"]


def test_what_is_too_long_is_skipped_and_counted():
    found = [(SCOPE, memory("long", "x" * 400)), (SCOPE, memory("short"))]

    injection = injected(found, 20)

    assert [one.key for _, one in injection.memories] == ["short"]
    assert injection.left_out == 1


def test_words_are_found_in_any_script():
    assert search_words("Orders.last_one: 안녕 CAFÉ, ½ 42!") == ["orders", "last", "one", "안녕", "café", "½", "42"]
