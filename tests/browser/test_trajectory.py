"""Reading a rollout in Chromium: scrubbing, folding, searching, growing, down to the words that the model was shown."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from tests.amp import Amp, sign_up
from tests.browser.barriers import check_page
from tests.server import StudioServer

pytestmark = pytest.mark.browser

INSTEAD = "Could I keep it and get a new leg instead, with part of the price back?"
REFUND = "It is order 48213. The front leg is split right through."


@pytest.fixture(scope="module")
def maya(studio: StudioServer) -> Amp:
    return sign_up(studio, "maya-of-trajectories", "member")


@pytest.fixture(scope="module")
def rollout(maya: Amp) -> str:
    """A finished turn of the refund desk: two tools, then an answer."""
    return told(maya)


@pytest.fixture(scope="module")
def calling(maya: Amp) -> str:
    """A rollout of the refund desk that has called two agents, and waits for leave."""
    session = maya.start("refund-desk", REFUND)
    rollout = rollout_of(maya, session["id"])
    wait_until_idle(maya, rollout)
    maya.call("POST", f"/sessions/{session['id']}/events", {"type": "user.input", "content": INSTEAD})
    for _ in range(600):
        if maya.call("GET", f"/rollouts/{rollout}")[1]["waiting_for"] == "approval":
            return rollout
        time.sleep(0.1)
    raise AssertionError("nobody was asked for leave")


def told(maya: Amp, text: str = REFUND) -> str:
    session = maya.start("refund-desk", text)
    rollout = rollout_of(maya, session["id"])
    wait_until_idle(maya, rollout)
    return rollout


def rollout_of(maya: Amp, session: str) -> str:
    return str(maya.call("GET", f"/sessions/{session}")[1]["rollouts"][0]["id"])


def wait_until_idle(maya: Amp, rollout: str) -> None:
    """Looked at 10 times a second, for as long as the demonstration speaks."""
    for _ in range(600):
        state = maya.call("GET", f"/rollouts/{rollout}")[1]
        if state["lifecycle"] == "waiting" and state["steps"] >= 2:
            return
        time.sleep(0.1)
    raise AssertionError(f"still {state['lifecycle']} after {state['last_seq']} events")


def row(page: Page, name: str):
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def picture(page: Page) -> list[tuple[str, bool, str]]:
    return page.eval_on_selector_all(
        "[data-row]", "rows => rows.map(row => [row.id, row.hidden, row.innerText.replace(/\\s+/g, ' ')])"
    )


@pytest.fixture
def opened(signed_in: Page, rollout: str) -> Page:
    signed_in.goto(f"/rollouts/{rollout}")
    return signed_in


def test_a_model_call_shows_the_words_that_it_was_given(opened):
    row(opened, "llm_1").click()
    opened.get_by_role("link", name="Prompt").click()

    expect(opened.get_by_text("Matches the recorded hash")).to_be_visible()
    expect(opened.get_by_text("4 new since llm_0")).to_be_visible()
    expect(opened.locator("#prompt")).to_contain_text(REFUND)
    expect(opened).to_have_url(re.compile(r"\?e=\d+&tab=prompt$"))


def test_standing_at_an_event_dims_what_came_later_and_now_brings_it_back(opened):
    slider = opened.get_by_role("slider", name="Event")
    slider.focus()
    opened.keyboard.press("Home")

    expect(slider).to_have_attribute("aria-valuetext", re.compile("^Event 1 of"))
    expect(row(opened, "llm_1")).to_have_attribute("data-after", "")
    opened.get_by_role("link", name="Now").click()

    expect(opened.locator("[data-row][data-after]")).to_have_count(0)
    expect(opened).to_have_url(re.compile(r"/rollouts/\w+$"))


def test_the_whole_page_is_read_with_the_keyboard(opened):
    for key in ("j", "j", "j"):
        opened.keyboard.press(key)
    expect(row(opened, "llm_0")).to_have_attribute("aria-selected", "true")
    opened.keyboard.press("ArrowLeft")
    expect(row(opened, "llm_0")).to_have_attribute("aria-expanded", "false")
    expect(row(opened, "lookup_order")).to_be_hidden()
    opened.keyboard.press("ArrowRight")
    opened.keyboard.press("]")

    expect(row(opened, "lookup_order")).to_be_visible()
    expect(opened.get_by_role("slider")).to_have_attribute("aria-valuenow", "4")


def test_play_walks_from_event_to_event_until_it_is_stopped(opened):
    slider = opened.get_by_role("slider", name="Event")
    opened.keyboard.press("Space")

    expect(opened.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "true")
    expect(slider).to_have_attribute("aria-valuenow", "2")
    opened.get_by_role("button", name="Play").click()
    expect(opened.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")


def test_a_click_on_the_tape_travels_and_unfolds_what_is_folded(opened):
    box = opened.get_by_role("slider").bounding_box()
    assert box is not None

    opened.mouse.click(box["x"] + box["width"] - 20, box["y"] + 20)

    expect(opened.locator('[data-row][aria-selected="true"]')).to_be_visible()
    expect(opened.locator("#detail")).to_contain_text("Model call")


def test_filters_and_search_stand_in_the_address_and_survive_a_reload(opened):
    opened.get_by_role("searchbox", name="Search events").fill("inspect_photo")
    expect(row(opened, "lookup_order")).to_have_count(0)
    expect(row(opened, "inspect_photo")).to_be_visible()
    opened.reload()

    expect(row(opened, "inspect_photo")).to_be_visible()
    expect(row(opened, "lookup_order")).to_have_count(0)


def test_a_rollout_grows_before_ones_eyes_and_looks_the_same_after_a_reload(signed_in, maya):
    page, session = signed_in, maya.start("refund-desk", REFUND)
    page.goto(f"/rollouts/{rollout_of(maya, session['id'])}")
    page.get_by_role("button", name="Follow").click()

    expect(row(page, "llm_1")).to_be_visible(timeout=20_000)
    maya.call("POST", f"/sessions/{session['id']}/events", {"type": "user.interrupt"})

    expect(page.get_by_role("row").filter(has_text="pressed Stop")).to_be_visible(timeout=20_000)
    expect(page.locator("#rollout-status")).to_have_text(
        re.compile(r"^\s*waiting\s*processing_request\s*$"), timeout=20_000
    )
    expect(row(page, "llm_1")).to_contain_text("cut off")
    grown = picture(page)
    page.reload()

    assert picture(page) == grown


def test_the_rows_of_an_agent_that_was_called_are_read_under_its_call(signed_in, calling):
    page = signed_in
    page.goto(f"/rollouts/{calling}")
    call = row(page, "policy-researcher")
    nested = page.locator("[data-beside]").filter(has=page.get_by_role("link", name="search_policies", exact=True))
    expect(nested).to_be_visible()
    call.locator(".c-step__words").click()

    page.keyboard.press("ArrowLeft")
    expect(call).to_have_attribute("aria-expanded", "false")
    expect(nested).to_be_hidden()
    expect(call.get_by_role("link", name=re.compile(r"^Show \d+ events$"))).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(nested).to_be_visible()

    page.keyboard.press("j")
    expect(page.locator("#detail")).to_contain_text("event 1 of policy-researcher")
    expect(page.locator('[data-row][aria-selected="true"]')).to_have_attribute("data-seq", re.compile(r"^\d+\.1$"))
    page.keyboard.press("ArrowLeft")
    expect(call).to_have_attribute("aria-selected", "true")

    call.get_by_role("link", name="its trajectory").click()
    expect(page.get_by_title("The rollout that called it")).to_be_visible()


def test_the_rows_of_an_agent_grow_under_its_call_and_look_the_same_after_a_reload(signed_in, maya):
    page, session = signed_in, maya.start("refund-desk", REFUND)
    rollout = rollout_of(maya, session["id"])
    wait_until_idle(maya, rollout)
    page.goto(f"/rollouts/{rollout}")
    maya.call("POST", f"/sessions/{session['id']}/events", {"type": "user.input", "content": INSTEAD})

    answers = page.locator("[data-beside]").filter(has=page.get_by_role("link", name="answer", exact=True))
    expect(answers).to_have_count(2, timeout=30_000)
    expect(page.locator("#rollout-status")).to_contain_text("needs a decision", timeout=20_000)
    expect(page.locator("[data-row]").filter(has_text="running")).to_have_count(0, timeout=20_000)
    grown = picture(page)
    page.reload()

    assert picture(page) == grown


@pytest.mark.parametrize("path", ["/rollouts/{}", "/live", "/live?sort=new&show=needs"])
def test_with_agents_that_were_called_there_is_no_barrier(lenient, calling, path):
    check_page(lenient, path.format(calling))


@pytest.mark.parametrize(
    "path", ["/rollouts/{}", "/rollouts/{}?e=2&tab=prompt", "/rollouts/{}?as=log", "/rollouts", "/approvals"]
)
def test_a_page_has_no_barrier_and_no_sideways_scrolling(lenient, rollout, path):
    check_page(lenient, path.format(rollout))
