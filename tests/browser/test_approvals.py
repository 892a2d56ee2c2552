"""A person decides about a call: in the conversation with the keyboard, and on the page of approvals."""

import pytest
from playwright.sync_api import expect

from tests.browser.playground import asks_for_leave

pytestmark = pytest.mark.browser


@pytest.fixture
def asked(signed_in):
    """The page of a session whose agent waits for leave to pay."""
    asks_for_leave(signed_in)
    return signed_in


def test_edited_arguments_are_refused_at_their_field_then_approved_and_said(asked):
    card = asked.locator("form[data-asks]")
    card.focus()
    asked.keyboard.press("e")
    card.get_by_label("amount").fill("much")
    card.get_by_role("button", name="Approve with these changes").click()

    expect(card.get_by_text("amount: write a number.")).to_be_visible()
    expect(card.get_by_label("amount")).to_be_focused()

    card.get_by_label("amount").fill("75")
    card.get_by_role("button", name="Approve with these changes").click()

    expect(asked.locator(".c-decided__what")).to_contain_text("approved with changes", timeout=15_000)
    expect(asked.locator("#conversation")).to_contain_text("75.00", timeout=20_000)
    expect(asked.locator("form[data-asks]")).to_have_count(0)


def test_who_edits_approves_their_changes_by_enter_and_cannot_approve_the_old_call_by_mistake(asked):
    card = asked.locator("form[data-asks]")
    card.focus()
    asked.keyboard.press("e")
    expect(card.locator("[data-key=a]")).to_be_hidden()
    card.get_by_label("amount").fill("75")
    asked.keyboard.press("Enter")

    expect(asked.locator(".c-decided__what")).to_contain_text("approved with changes", timeout=15_000)


def test_a_call_is_denied_on_the_page_of_approvals_with_one_key(asked):
    asked.goto("/approvals?mine=1")
    asked.keyboard.press("d")
    asked.get_by_label("Why").fill("outside 60 days")
    asked.locator("button[value=deny]").click()
    asked.goto("/approvals?state=decided")

    expect(asked.get_by_text("denied").first).to_be_visible()


def test_the_state_tab_shows_where_the_request_is_and_its_timer(asked):
    asked.get_by_role("tab", name="State").click()
    pane = asked.locator("#state")

    expect(pane.get_by_role("img", name="Now in waiting_for_approval")).to_be_visible()
    expect(pane.get_by_text("48213", exact=True)).to_be_visible()
    expect(pane.locator("count-down")).to_be_visible()
