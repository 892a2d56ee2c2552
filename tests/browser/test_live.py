"""A supervisor acts on several rollouts at once: chosen with keys, asked once, each that could not be done is named."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.amp import Amp, sign_up
from tests.browser.barriers import OPTIONS, WIDTHS
from tests.server import StudioServer

pytestmark = pytest.mark.browser

LONG = "{} " + "word " * 500
SHOWN = "/live?q=nightshift"


@pytest.fixture(scope="module")
def nora(studio: StudioServer, tmp_path_factory) -> Amp:
    """Who talks to agents that talk for a quarter of a minute."""
    path = tmp_path_factory.mktemp("agents") / "nightshift.yaml"
    path.write_text("name: nightshift\nmodel: playbook/echo\nsystem_prompt: You repeat.\n")
    studio.manage("agents", "apply", str(path), "--publish")
    return sign_up(studio, "nora", "member")


def test_several_are_chosen_with_keys_paused_after_one_question_and_cancelled(signed_in: Page, nora):
    page = signed_in
    for word in ("Invoices", "Parcels"):
        nora.start("nightshift", LONG.format(word))
    page.goto(SHOWN)
    choose_both_with_keys(page)
    expect(page.get_by_text("2 chosen")).to_be_visible()
    page.locator("#live-choice").get_by_role("button", name="Pause").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Pause 2 rollouts?")).to_be_visible()
    dialog.get_by_label("Why").fill("Stocktaking")
    page.keyboard.press("Enter")

    expect(page.get_by_text("Paused 2 rollouts.")).to_be_visible()
    page.goto(SHOWN)
    expect(page.locator(".c-status").filter(has_text="paused")).to_have_count(2, timeout=40_000)

    choose_both_with_keys(page)
    page.locator("#live-choice").get_by_role("button", name="Pause").click()
    page.get_by_role("dialog").get_by_role("button", name="Pause 2 rollouts").click()
    expect(page.get_by_text("This rollout is paused already.")).to_have_count(2)

    page.goto(SHOWN)
    page.get_by_label("Choose all that are shown", exact=True).dispatch_event("click")
    page.locator("#live-choice").get_by_role("button", name="Cancel").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel 2 rollouts").click()
    expect(page.get_by_text("Cancelled 2 rollouts.")).to_be_visible()
    page.goto(SHOWN)
    expect(page.locator("tr[data-row]")).to_have_count(0)


def test_what_is_chosen_stays_chosen_when_the_table_is_drawn_anew(signed_in: Page, nora):
    nora.start("nightshift", LONG.format("Returns"))
    signed_in.goto(SHOWN)
    box = signed_in.get_by_role("checkbox", name=re.compile("Choose nightshift")).first
    box.check()
    signed_in.mouse.move(5, 5)
    signed_in.evaluate("document.activeElement.blur()")
    signed_in.evaluate("document.querySelector('#live-table tbody tr').dataset.old = ''")

    expect(signed_in.locator("tr[data-old]")).to_have_count(0, timeout=15_000)
    expect(box).to_be_checked()
    expect(signed_in.get_by_text("1 chosen")).to_be_visible()


def test_what_can_be_done_to_several_has_no_barrier(lenient: Page, nora):
    nora.start("nightshift", LONG.format("Letters"))
    for width in WIDTHS:
        lenient.set_viewport_size({"width": width, "height": 844})
        lenient.goto("/live")
        lenient.locator("tr[data-row] input").first.check()
        assert Axe().run(lenient, options=OPTIONS).violations_count == 0
        lenient.get_by_role("button", name="Pause everything").click()
        expect(lenient.get_by_role("heading", name=re.compile(r"^Pause \d+ rollouts?\?$"))).to_be_visible()
        assert Axe().run(lenient, options=OPTIONS).violations_count == 0
        assert lenient.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def choose_both_with_keys(page: Page) -> None:
    for key in "jxjx":
        page.keyboard.press(key)
