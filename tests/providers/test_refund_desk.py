"""The demonstration's refund desk understands people who say more than one thing at once."""

from typing import Any

import pytest

from runtime.ports import ModelRequest
from runtime.providers.playbook import Line
from runtime.providers.playbooks.refund_desk import refund_desk

ORDER = "It is order 48213."
INSTEAD = "Could I keep it and get a new leg instead?"
FOUND = '{"order": "48213", "items": [{"article": "Alder bench"}]}'
HELPED = "Clause 4.2: up to 40% of the price is paid back."


def said(*texts: str) -> dict[str, Any]:
    return {"role": "user", "content": "\n".join(f'<message from="Maya">\n{text}\n</message>' for text in texts)}


def called() -> dict[str, Any]:
    return {"role": "assistant", "content": "", "tool_calls": []}


def answered(text: str) -> dict[str, Any]:
    return {"role": "tool", "content": text}


def line(*messages: dict[str, Any]) -> Line:
    return refund_desk(ModelRequest("playbook/refund-desk", messages))


def names(spoken: Line) -> list[str]:
    return [name for name, _ in spoken.calls]


@pytest.mark.parametrize("messages", [(said(ORDER, INSTEAD),), (said(ORDER), said(INSTEAD))], ids=["joined", "apart"])
def test_the_order_and_the_wish_in_one_breath_are_looked_up_first(messages):
    assert "lookup_order" in names(line(*messages))


def test_then_the_two_helpers_are_asked_and_then_the_offer_is_made():
    looked = (said(ORDER, INSTEAD), called(), answered(FOUND))

    assert names(line(*looked)) == ["invoke_policy_researcher", "invoke_parts_finder"]
    assert "issue_refund" in names(line(*looked, called(), answered(HELPED)))


def test_a_wish_before_the_order_is_known_is_met_with_a_question():
    spoken = line(said(INSTEAD))

    assert not spoken.calls
    assert "order number" in spoken.text


def test_words_that_fit_nothing_after_the_order_are_met_with_the_choice():
    spoken = line(said(ORDER), called(), answered(FOUND), called(), said("Hm."))

    assert not spoken.calls
    assert "keep it" in spoken.text
