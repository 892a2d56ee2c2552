"""Two people decide about the same call: the first decides, the second reads in place who was first."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.links import link_for
from tests.browser.playground import asks_for_leave, live, settled, until
from tests.server import StudioServer

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def tom(browser: Browser, studio: StudioServer) -> Iterator[Page]:
    """A page of a supervisor in a browser of their own."""
    studio.manage("users", "add", "tom", "--full-name", "Tom Berg", "--role", "supervisor")
    context = browser.new_context(base_url=studio.url)
    page = context.new_page()
    page.goto(link_for(studio, "tom"))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{studio.url}/**")
    yield page
    context.close()


@pytest.fixture
def asked(signed_in: Page) -> tuple[Page, str]:
    """The page of a session whose agent waits for leave to pay, and the session's id."""
    return signed_in, asks_for_leave(signed_in)


def test_both_press_and_the_second_reads_who_was_first_where_the_question_stood(asked, tom):
    page, session = asked
    tom.goto(f"/chat/{session}")
    live(tom)
    held: list[Route] = []
    tom.route("**/chat/questions/**", lambda route: held.append(route))

    tom.get_by_role("button", name="Approve: pay 60 EUR back").click()
    until(tom, lambda: bool(held))
    edit(page, "75")
    expect(page.locator(".c-decided__what")).to_contain_text("approved with changes", timeout=15_000)
    held[0].continue_()

    late = tom.locator("[data-late]")
    expect(late).to_contain_text("got here first and approved it with changes")
    expect(late).to_contain_text("60 75")
    settled(page)
    settled(tom)
    expect(late).to_contain_text("got here first")
    assert runs_of_the_tool(page) == 1


def test_on_the_page_of_approvals_the_second_reads_who_was_first(asked, tom):
    page, _ = asked
    page.goto("/approvals?mine=1")
    tom.goto("/approvals?mine=1")
    page.locator("button[value=approve]").click()
    expect(page.get_by_text("Decided: approved")).to_be_visible()

    tom.locator("button[value=approve]").click()

    expect(tom.locator("[data-late]")).to_contain_text("got here first and approved it")


def edit(page: Page, amount: str) -> None:
    card = page.locator("form[data-asks]")
    card.focus()
    page.keyboard.press("e")
    card.get_by_label("amount").fill(amount)
    card.get_by_role("button", name="Approve with these changes").click()


def runs_of_the_tool(page: Page) -> int:
    """How often the payment was made, as the log has it."""
    page.get_by_role("link", name="Full trajectory").click()
    page.wait_for_url("**/rollouts/r_*")
    page.goto(f"{page.url}?as=log&q=tool.result+refund_id")
    return page.locator("[data-row]").count()
