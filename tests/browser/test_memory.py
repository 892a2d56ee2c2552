"""Memory in a browser: add, change, undo, erase."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def test_a_person_keeps_changes_undoes_and_erases(signed_in: Page, base_url):
    page = signed_in
    page.goto(f"{base_url}/memory")
    page.get_by_role("link", name="Add").click()
    page.get_by_label("Key", exact=True).fill("language")
    page.get_by_label("What is to be remembered").fill("German")
    page.get_by_role("button", name="Remember").click()

    page.get_by_role("link", name="language").click()
    page.get_by_label("What is remembered", exact=True).and_(page.get_by_role("textbox")).fill("French")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("cell", name="French")).to_be_visible()

    page.get_by_role("link", name="language").click()
    page.get_by_role("button", name="Undo the last change").click()
    expect(page.get_by_role("cell", name="German")).to_be_visible()

    page.get_by_role("link", name="Forget everything").click()
    page.get_by_label("Type FORGET to go on").fill("FORGET")
    page.get_by_role("button", name="Erase 1 key").click()
    expect(page.get_by_text("Nothing is remembered of you")).to_be_visible()
