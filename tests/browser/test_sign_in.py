"""Getting in and about the settings, in Chromium against a real server."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.links import link_for

pytestmark = pytest.mark.browser


def test_the_printed_link_signs_in_once_by_its_one_button(page, studio):
    link = re.findall(r"http://\S+/sign-in/link/\S+", studio.log)[-1]

    page.goto(link)
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    page.get_by_role("button", name="Sign in").click()
    page.goto("/settings/account")
    expect(page.get_by_role("heading", name="Account")).to_be_visible()

    page.context.clear_cookies()
    page.goto(link)
    expect(page.get_by_role("heading", name="This link is spent")).to_be_visible()


def test_a_password_set_in_the_settings_signs_in_and_out(page, studio):
    studio.manage("users", "add", "pia")
    page.goto(link_for(studio, "pia"))
    page.get_by_role("button", name="Sign in").click()

    page.goto("/settings/account")
    page.get_by_label("New password").fill("a walk along the quay")
    page.get_by_label("The same again").fill("a walk along the quay")
    page.get_by_role("button", name="Set a password").click()
    expect(page.get_by_text("Password changed")).to_be_visible()

    page.locator(".c-nav summary").click()
    page.locator(".c-nav").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("Name").fill("pia")
    page.get_by_label("Password").fill("a walk along the quay")
    page.get_by_role("button", name="Sign in").click()
    page.goto("/settings/tokens")
    expect(page.get_by_role("heading", name="API tokens").first).to_be_visible()


def test_a_token_is_shown_once_and_can_be_revoked(signed_in):
    page = signed_in
    page.goto("/settings/tokens")
    page.get_by_label("Name").fill("nightly-report")
    page.get_by_role("button", name="Make token").click()
    expect(page.locator("#new-token")).to_have_text(re.compile(r"st_[0-9a-f]{8}_\S{43}"))

    page.goto("/settings/tokens")
    expect(page.locator("#new-token")).to_have_count(0)
    page.get_by_role("button", name="Revoke").first.click()
    expect(page.get_by_text("revoked", exact=True)).to_be_visible()
