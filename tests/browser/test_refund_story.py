"""The refund story with two people: Maya, a customer on her phone, and Priya, who supervises, at her desk."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.links import link_for
from tests.browser.playground import live, picture, say, settled, start, streamed
from tests.server import StudioServer

pytestmark = pytest.mark.browser

DAMAGE = "Hi, the bench I ordered arrived with a cracked leg"
ORDER = "It's order 48213. The front leg is split."
INSTEAD = "Wait, I'd rather keep it. Can you send a new leg and refund part of the price?"
NOTE = "A good customer, and 40% would allow it."
TIMER_MS = 60_000  # the demonstration looks after the parcel 20 s after the payment


@pytest.fixture
def studio(tmp_path) -> Iterator[StudioServer]:
    """One of its own: what other tests left to decide would stand on Priya's list."""
    server = StudioServer(tmp_path).start(first_run=True)
    yield server
    server.stop()


@pytest.fixture
def maya(browser: Browser, studio: StudioServer) -> Iterator[Page]:
    yield from _signed_in(browser, studio, "maya", "Maya Lindqvist", "member", (390, 844))


@pytest.fixture
def priya(browser: Browser, studio: StudioServer) -> Iterator[Page]:
    yield from _signed_in(browser, studio, "priya", "Priya Raman", "supervisor", (1440, 900))


def _signed_in(
    browser: Browser, studio: StudioServer, name: str, full_name: str, role: str, size: tuple[int, int]
) -> Iterator[Page]:
    studio.manage("users", "add", name, "--full-name", full_name, "--role", role)
    width, height = size
    context = browser.new_context(base_url=studio.url, viewport={"width": width, "height": height})
    page = context.new_page()
    page.goto(link_for(studio, name))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{studio.url}/**")
    yield page
    context.close()


def test_the_refund_story_is_told_by_two_people(maya: Page, priya: Page):
    session = start(maya, "refund-desk", DAMAGE)
    settled(maya)
    stop_in_mid_sentence(maya)
    ask_for_a_leg_instead(maya)

    approve_with_changes(priya)

    hear_of_the_payment(maya)
    wait_for_the_final_state(maya)
    assert_it_looks_the_same_after_a_reload(maya)
    look_at_it_as_a_supervisor(priya, session)


def stop_in_mid_sentence(page: Page) -> None:
    say(page, ORDER)
    streamed(page, least=80)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("cut off", exact=True)).to_be_visible()
    settled(page)


def ask_for_a_leg_instead(page: Page) -> None:
    """Two sub-agents look; what the customer is shown of the payment is that a colleague looks at it."""
    say(page, INSTEAD)
    expect(page.get_by_text("Nothing has been paid yet")).to_be_visible(timeout=30_000)
    settled(page)
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)


def approve_with_changes(page: Page) -> None:
    page.goto("/approvals")
    card = page.locator("form[data-asks]")
    expect(card).to_contain_text("48213")
    page.keyboard.press("e")
    card.get_by_label("amount").fill("75")
    card.get_by_label("Note for the agent").fill(NOTE)
    card.get_by_role("button", name="Approve with these changes").click()
    expect(page.locator("form[data-asks]")).to_have_count(0)


def hear_of_the_payment(page: Page) -> None:
    expect(page.locator("#conversation")).to_contain_text("€75.00 is on its way", timeout=30_000)


def wait_for_the_final_state(page: Page) -> None:
    expect(page.locator("#conversation")).to_contain_text("Enjoy the bench, Maya!", timeout=TIMER_MS)
    expect(page.locator("#session-state")).to_contain_text("request_completed")
    expect(page.locator("#session-status")).to_have_attribute("data-lifecycle", "completed")


def assert_it_looks_the_same_after_a_reload(page: Page) -> None:
    shown = picture(page)
    page.reload()
    live(page)
    assert picture(page) == shown


def look_at_it_as_a_supervisor(page: Page, session: str) -> None:
    """Both amounts, both sub-agents with their own trajectories, the timer and the final state stand in the log."""
    page.goto(f"/chat/{session}")
    live(page)
    for helper in ("policy-researcher", "parts-finder"):
        expect(page.locator("#rollouts").get_by_text(helper)).to_be_visible()
    page.get_by_role("link", name="Full trajectory").click()
    page.get_by_role("link", name="Log", exact=True).click()
    log = page.locator("#trajectory-scroll")
    for kind in ("user.interrupt", "agent.invocation", "approval.request", "approval.decision", "timer.trigger"):
        expect(log.get_by_text(kind).first).to_be_attached()
    expect(log).to_contain_text("rollout.completed")
    expect(log).to_contain_text(NOTE)
