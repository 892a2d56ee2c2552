"""The diagram of states in a real browser: moves are drawn and removed in it, by pointer and by key, and undone."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.barriers import check_page
from tests.browser.test_editor import new_agent, text_of, wait_for_text

pytestmark = pytest.mark.browser

STATES = """states:   # where a request can be
  initial: open
  open:
    transitions:
      - {to: waiting, when: it is known}
  waiting:
    transitions:
      - {to: done, when: it is paid}   # the usual way
      - {to: open, when: it changed}
  done: {final: true}
"""


def agent_with_states(page: Page, name: str, states: str = STATES) -> Page:
    new_agent(page, name, "Blank agent")
    page.evaluate("text => document.querySelector('yaml-editor').replaceText(text)", text_of(page) + states)
    page.evaluate("document.querySelector('agent-editor').typed()")
    expect(state(page, "open")).to_be_visible()
    state(page, "open").scroll_into_view_if_needed()
    return page


def state(page: Page, name: str) -> Locator:
    return page.locator(f'state-diagram [data-state="{name}"]')


def move(page: Page, start: str, to: str) -> Locator:
    return page.locator(f'state-diagram [data-key="move:{start}:{to}"]')


def drag(page: Page, start: str, to: str) -> None:
    one, other = state(page, start).bounding_box(), state(page, to).bounding_box()
    assert one is not None
    assert other is not None
    page.mouse.move(one["x"] + one["width"] / 2, one["y"] + one["height"] / 2)
    page.mouse.down()
    page.mouse.move(other["x"] + other["width"] / 2, other["y"] + other["height"] / 2, steps=8)
    page.mouse.up()


def text_without(part: str) -> str:
    return f"() => !document.querySelector('yaml-editor').value.includes({part!r})"


def test_a_line_dragged_to_another_state_is_a_move_and_undo_takes_it_back(signed_in):
    page = agent_with_states(signed_in, "drawn")
    before = text_of(page)

    drag(page, "open", "done")

    wait_for_text(page, "- to: done\n  waiting:")
    expect(move(page, "open", "done")).to_have_attribute("aria-pressed", "true")
    expect(move(page, "open", "done")).to_be_focused()
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(move(page, "open", "done")).to_have_count(0)
    assert text_of(page) == before


def test_a_move_is_added_and_removed_by_keyboard_alone(signed_in):
    page = agent_with_states(signed_in, "by-keys")
    before = text_of(page)
    state(page, "open").focus()

    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(state(page, "done")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#states-said")).to_contain_text("press Enter to add a move")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(move(page, "done", "waiting")).to_be_focused()
    page.keyboard.press("Delete")

    expect(state(page, "done")).to_be_focused()
    expect(move(page, "done", "waiting")).to_have_count(0)
    assert "final: true" in text_of(page)
    page.keyboard.press("Control+z")
    expect(move(page, "done", "waiting")).to_have_count(1)
    assert before != text_of(page)


def test_tab_leads_from_a_state_to_its_moves_and_enter_to_their_fields(signed_in):
    page = agent_with_states(signed_in, "by-tab")
    state(page, "open").focus()
    page.keyboard.press("ArrowDown")

    page.keyboard.press("Tab")
    expect(move(page, "waiting", "done")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#state-1")).to_have_attribute("open", "")
    expect(page.locator("#state-1 [data-move='transitions:0']")).to_have_attribute("data-chosen", "")
    page.keyboard.press("Enter")

    expect(page.locator("#f-s1-m0-when")).to_be_focused()
    expect(page.locator("#f-s1-m0-when")).to_have_value("it is paid")


def test_a_removed_move_comes_back_with_its_comment(signed_in):
    page = agent_with_states(signed_in, "comment-back")
    before = text_of(page)
    move(page, "waiting", "done").focus()

    page.keyboard.press("Delete")
    page.wait_for_function(text_without("# the usual way"))
    page.locator("#toasts").get_by_role("button", name="Undo").click()

    expect(move(page, "waiting", "done")).to_have_count(1)
    assert text_of(page) == before


def test_a_click_chooses_a_state_and_shows_its_fields(signed_in):
    page = agent_with_states(signed_in, "clicked")

    state(page, "waiting").click()

    expect(state(page, "waiting")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#state-1")).to_have_attribute("open", "")
    expect(page.locator("#state-0")).not_to_have_attribute("open", "")
    page.get_by_role("button", name="Go to its fields").click()
    expect(page.locator("#f-s1-name")).to_be_focused()


def test_a_missing_state_is_made_or_replaced_with_one_button(signed_in):
    page = agent_with_states(signed_in, "missing", STATES.replace("to: done", "to: dne"))
    expect(state(page, "dne")).to_have_attribute("data-kind", "missing")
    section = page.locator("#section-states")

    expect(section.get_by_role("button", name="Create it")).to_have_count(1)
    state(page, "waiting").click()
    expect(section.get_by_role("button", name="Create it")).to_have_count(2)
    section.get_by_role("button", name="use done").first.click()
    wait_for_text(page, "{to: done, when: it is paid}   # the usual way")
    expect(state(page, "dne")).to_have_count(0)
    page.locator("#f-s1-m0-to").evaluate("one => { one.append(new Option('closed')); one.value = 'closed'; }")
    page.locator("#f-s1-m0-to").dispatch_event("change")
    section.get_by_role("button", name="Create it").first.click()

    wait_for_text(page, "  closed:\n")
    expect(state(page, "closed")).to_have_attribute("data-kind", "")


def test_a_state_is_renamed_in_its_field_and_its_other_fields_follow(signed_in):
    page = agent_with_states(signed_in, "renamed")

    page.locator("#f-s0-name").fill("fresh")
    page.keyboard.press("Enter")
    wait_for_text(page, "initial: fresh\n  fresh:")
    page.locator("#f-s0-name").fill("new_one")
    page.keyboard.press("Tab")
    page.locator("#f-s0-description").fill("Just begun")
    page.keyboard.press("Tab")

    wait_for_text(page, "description: Just begun")
    text = text_of(page)
    assert "initial: new_one\n  new_one:" in text
    assert "- {to: new_one, when: it changed}" in text
    assert "fresh" not in text
    expect(state(page, "new_one")).to_be_visible()
    expect(page.locator("#state-0 summary")).to_contain_text("new_one")


def test_the_diagram_has_no_barrier_with_a_missing_state_and_a_chosen_move(lenient):
    page = agent_with_states(lenient, "no-barrier", STATES.replace("to: done", "to: dne"))
    move(page, "open", "waiting").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Control+s")
    expect(page.locator("#saved")).to_contain_text("saved ")

    check_page(page, "/agents/no-barrier/edit")
