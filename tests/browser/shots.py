"""`make shots`: the pictures of the README, taken of the real product after the first half of the refund story."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, StorageState, expect, sync_playwright

from tests.browser.links import link_for
from tests.browser.playground import say, settled, start, streamed
from tests.conftest import BROWSERS
from tests.server import ROOT, StudioServer

PICTURES = ROOT / "docs" / "pictures"
MOST_BYTES = 300_000
NARROW = 800
DAMAGE = "My bench came with a cracked leg. What now?"
ORDER = "It is order 48213. The front leg is split right through."
INSTEAD = "Could I keep it and get a new leg instead, with part of the price back?"


@dataclass(frozen=True, slots=True)
class Look:
    """How pages are looked at: the last part of a picture's name, the window in pixels, and the theme."""

    name: str
    width: int
    height: int
    theme: str


@dataclass(frozen=True, slots=True)
class Scene:
    """A page: the first part of its picture's name, its path, and what must be there before it is taken.

    `chosen` is a query for the wide looks, which have room for a detail beside a list.
    """

    name: str
    path: str
    waits_for: str
    chosen: str = ""


LOOKS = (Look("light", 1440, 900, "light"), Look("dark", 1440, 900, "dark"), Look("phone", 390, 844, "light"))


def main() -> None:
    """Starts the product on an empty data folder, plays the story, and takes every page in every look."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as studio, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium())
        signed_in = sign_in(browser, studio)
        scenes = play(browser, studio, signed_in)
        for look in LOOKS:
            take(browser, studio, signed_in, look, scenes)
        browser.close()


@contextmanager
def served(data: Path) -> Iterator[StudioServer]:
    """As `make run` starts it the first time."""
    studio = StudioServer(data).start(first_run=True)
    try:
        yield studio
    finally:
        studio.stop()


def chromium() -> str:
    """The browser of this machine."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert path, "Chromium is not installed. Install it (apt-get install chromium), then run make shots again."
    return path


def sign_in(browser: Browser, studio: StudioServer) -> StorageState:
    """The cookies of Maya, who runs the shop and may do everything."""
    studio.manage("users", "add", "maya", "--full-name", "Maya Lindqvist", "--role", "admin")
    context = browser.new_context()
    page = context.new_page()
    page.goto(link_for(studio, "maya"))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{studio.url}/**")
    state = context.storage_state()
    context.close()
    return state


def play(browser: Browser, studio: StudioServer, signed_in: StorageState) -> tuple[Scene, ...]:
    """The story up to the offer, and a question to the clerk; then what is to be seen."""
    context = browser.new_context(base_url=studio.url, storage_state=signed_in)
    page = context.new_page()
    start(page, "clerk", "When are we open on Saturday?")
    settled(page)
    session = refund(page)
    page.goto("/rollouts?agent=refund-desk")
    rollout = page.locator("a[href*='/rollouts/r_']").first.get_attribute("href") or ""
    page.goto(rollout)
    page.locator("a[href*='e=']", has_text="llm_3").first.click()
    page.get_by_role("link", name="Prompt").click()
    page.wait_for_url("**tab=prompt**")
    step = page.url
    context.close()
    editor = "yaml-editor[data-ready]"
    return (
        Scene("playground", f"/chat/{session}", "#live .c-status[data-status=running]"),
        Scene("trajectory", rollout, "#trajectory-scroll", chosen=step.partition("?")[2]),
        Scene("approvals", "/approvals", "form[data-asks]"),
        Scene("live", "/live", "tr[data-row]"),
        Scene("agents", "/", "#agent-refund-desk"),
        Scene("editor", "/agents/refund-desk/edit", editor),
        Scene("settings", "/settings/models", "form"),
    )


def refund(page: Page) -> str:
    """A customer asks, the agent looks, is stopped in mid-sentence and makes an offer; the session's id."""
    session = start(page, "refund-desk", DAMAGE)
    settled(page)
    say(page, ORDER)
    streamed(page, least=90)
    page.keyboard.press("Control+.")
    expect(page.get_by_text("cut off", exact=True)).to_be_visible()
    settled(page)
    say(page, INSTEAD)
    expect(page.get_by_text("Nothing has been paid yet")).to_be_visible(timeout=30_000)
    settled(page)
    return session


def take(
    browser: Browser, studio: StudioServer, signed_in: StorageState, look: Look, scenes: tuple[Scene, ...]
) -> None:
    """One picture of each scene. Fails when one is too large for the repository."""
    context = browser.new_context(
        base_url=studio.url,
        storage_state=signed_in,
        viewport={"width": look.width, "height": look.height},
        color_scheme="dark" if look.theme == "dark" else "light",
        reduced_motion="reduce",
        timezone_id="Europe/Amsterdam",
        locale="en-GB",
    )
    page = context.new_page()
    for scene in scenes:
        query = f"?{scene.chosen}" if scene.chosen and look.width > NARROW else ""
        page.goto(scene.path + query)
        page.wait_for_selector(scene.waits_for, state="attached")
        page.evaluate("document.fonts.ready")
        picture = PICTURES / f"{scene.name}-{look.name}.png"
        page.screenshot(path=picture)
        assert picture.stat().st_size < MOST_BYTES, f"{picture.name} is over {MOST_BYTES} bytes"
    context.close()


if __name__ == "__main__":
    main()
