"""A real server, and Chromium with nothing in it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Cookie, Page, Response, expect

from tests.browser.links import link_for
from tests.server import StudioServer

expect.set_options(timeout=20_000)  # a machine with more to do shows things later, not other things


@pytest.fixture(scope="session")
def studio(tmp_path_factory) -> Iterator[StudioServer]:
    """As `make run` starts it the first time; it stays for all browser tests of this process."""
    server = StudioServer(tmp_path_factory.mktemp("browser")).start(first_run=True)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def base_url(studio) -> str:
    return studio.url


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """A page that fails its test when a script breaks, the security policy refuses something or the server errs."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(f"script: {error}"))
    page.on("console", lambda message: _note_refusal(message, faults))
    page.on("response", lambda response: _note_server_error(response, faults))
    yield page
    assert faults == []


@pytest.fixture(scope="session")
def administrators_cookies(browser: Browser, studio: StudioServer) -> list[Cookie]:
    """Of the administrator, signed in once for all tests."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(link_for(studio, "admin"))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{studio.url}/**")
    cookies = context.cookies()
    context.close()
    return cookies


@pytest.fixture
def signed_in(page: Page, administrators_cookies: list[Cookie]) -> Page:
    """A page of the administrator, signed in just now."""
    page.context.add_cookies(administrators_cookies)
    return page


@pytest.fixture
def lenient(browser: Browser, base_url: str, administrators_cookies: list[Cookie]) -> Iterator[Page]:
    """A page of the administrator without the security policy, which axe's own inline styles would break."""
    context = browser.new_context(base_url=base_url, bypass_csp=True)
    context.add_cookies(administrators_cookies)
    yield context.new_page()
    context.close()


def _note_refusal(message: ConsoleMessage, faults: list[str]) -> None:
    if message.type == "error" and "Content Security Policy" in message.text:
        faults.append(message.text)


def _note_server_error(response: Response, faults: list[str]) -> None:
    if response.status >= 500:
        faults.append(f"{response.status} {response.url}")
