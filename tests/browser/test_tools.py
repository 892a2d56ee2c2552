"""The tools page in a browser: a request is written as a form, tried with a second look, and found in the list."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def test_a_tool_is_written_and_tried(signed_in: Page) -> None:
    page = signed_in
    page.goto("/tools/new/http")
    page.get_by_label("Name", exact=True).fill("where_is")
    page.get_by_label("What it does", exact=True).fill("Says where an order is.")
    page.get_by_label("Name of argument 1").fill("order")
    page.get_by_label("Argument 1 must be given").check()
    page.get_by_label("URL").fill("https://169.254.169.254/orders/{order}")
    page.get_by_role("button", name="Add tool").click()

    expect(page.get_by_role("heading", name="where_is")).to_be_visible()
    page.locator("#try-order").fill("48213")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("It really runs.")).to_be_visible()
    page.get_by_role("button", name="Run it for real").click()

    expect(page.get_by_text("it failed")).to_be_visible()
    expect(page.get_by_text("is not on the public internet")).to_be_visible()
    expect(page.locator(".p-tools__item[aria-current]")).to_have_text("where_is0")
