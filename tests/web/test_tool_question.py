"""Questions about calls in plain words: with short arguments in the sentence, else without any."""

import pytest

from studio.web.tool_question import exact_question, plain_question


def test_a_tool_with_a_title_is_asked_about_in_plain_words():
    assert plain_question("issue_refund") == "Pay money back?"
    assert exact_question("issue_refund", {"amount": 60, "reason": "long " * 20}) == "Pay 60 EUR back?"
    assert exact_question("delete_file", {"path": "notes.txt"}) == "Delete notes.txt?"


@pytest.mark.parametrize("tool", ["calculate", "a_tool_of_elsewhere"])
def test_a_tool_without_a_title_has_no_such_question(tool):
    assert (plain_question(tool), exact_question(tool, {"expression": "1 + 1"})) == ("", "")


@pytest.mark.parametrize(
    "args",
    [{}, {"path": ""}, {"path": "x" * 41}, {"path": "a\nb"}, {"path": "a\u202egpj"}, {"path": ["a"]}, "not JSON", None],
)
def test_what_cannot_stand_in_a_sentence_is_left_to_the_table_of_arguments(args):
    assert exact_question("delete_file", args) == ""
