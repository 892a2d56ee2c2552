"""The playground as a person uses it, for the browser tests."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

ORDER = "It is order 48213."
INSTEAD = "Could I keep it and get a new leg instead, with part of the price back?"
LIVE = "#live .c-status[data-status=running]"


def start(page: Page, agent: str = "refund-desk", text: str = "My bench came with a cracked leg") -> str:
    """A new session with that first message; its path, once the page is live."""
    page.goto(f"/chat/new?agent={agent}")
    page.get_by_label("First message").fill(text)
    page.get_by_role("button", name="Send").click()
    page.wait_for_url(re.compile(r"/chat/s_"))
    live(page)
    return page.url.partition("/chat/")[2]


def live(page: Page) -> None:
    expect(page.locator(LIVE)).to_have_count(1)


def say(page: Page, text: str) -> None:
    page.get_by_label("Message", exact=True).fill(text)
    page.keyboard.press("Enter")


def settled(page: Page) -> None:
    """Nothing runs and nothing waits, on the server and on the page."""
    unsent = page.locator("#conversation [data-state=sending], #conversation [data-state=waiting]")
    expect(unsent).to_have_count(0)
    until(page, lambda: _rests_on_server(page))
    expect(page.locator("#session-status[data-busy=no]")).to_be_attached(timeout=30_000)
    expect(page.locator("#queue .c-queue__item")).to_have_count(0)
    expect(streaming(page)).to_have_count(0)


def _rests_on_server(page: Page) -> bool:
    """As a page that is opened now would show it."""
    shown = page.context.request.get(page.url).text()
    return 'data-busy="no"' in shown and "c-queue__item" not in shown


def asks_for_leave(page: Page) -> str:
    """A new session of the refund desk, up to its question whether it may pay; the session's id."""
    session = start(page)
    settled(page)
    say(page, ORDER)
    expect(page.locator("#session-state")).to_contain_text("processing_request", timeout=20_000)
    settled(page)
    say(page, INSTEAD)
    expect(page.get_by_role("heading", name="Pay 60 EUR back?")).to_be_visible(timeout=30_000)
    return session


def streaming(page: Page) -> Locator:
    return page.locator("[data-state=streaming]")


def streamed(page: Page, least: int = 20) -> str:
    """The half-made answer, once that much of it is there."""
    text = page.locator("[data-state=streaming] .c-message__text")
    expect(text).to_have_text(re.compile(rf"^[\s\S]{{{least},}}$"), timeout=20_000)
    return text.inner_text()


def picture(page: Page) -> list[tuple[str, str]]:
    """What stands in the conversation: element by element, id and words."""
    found: list[list[str]] = page.evaluate(
        "() => [...document.querySelectorAll('#conversation > *')].map(e => [e.id, e.innerText])"
    )
    return [(id_, " ".join(words.split())) for id_, words in found]


def rows(page: Page) -> list[str]:
    found: list[str] = page.evaluate("() => [...document.querySelectorAll('#events > *')].map(e => e.id)")
    return found


def until(page: Page, condition: Callable[[], bool]) -> None:
    """Wait for a condition that only Python can tell; looked at 10 times a second."""
    for _ in range(300):
        if condition():
            return
        page.wait_for_timeout(100)
    raise AssertionError("the condition was not met within 30 s")
