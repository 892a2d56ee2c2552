"""Triggers in a browser: added in the form, published, tried, and what came through them."""

import pytest
from playwright.sync_api import Page, expect

from tests.acceptance.trigger_stage import SECRET
from tests.browser.barriers import check_page
from tests.warm_process import run_warm

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def secret(studio):
    run_warm(["-m", "tests.acceptance.store_secret", "ORDERS_HOOK", SECRET], studio.env)


def make_agent(page: Page, name: str) -> None:
    page.goto("/agents/new")
    page.get_by_role("textbox", name="Name").fill(name)
    page.get_by_role("radio", name="Reads a folder").check()
    page.get_by_role("button", name="Make agent").click()
    page.wait_for_selector("yaml-editor[data-ready]")
    expect(page.locator("#in-step")).to_have_text("in step with the form")


def add_trigger(page: Page, title: str) -> None:
    page.locator("#trigger-choices summary").click()
    page.locator("#trigger-choices").get_by_role("button", name=title).click()


def publish(page: Page) -> None:
    page.get_by_role("button", name="Publish v1").click()
    page.get_by_label("What changed").fill("It is woken from outside")
    page.locator("#publish-form").get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Published v1")).to_be_visible()


def test_a_webhook_and_a_schedule_from_the_form_to_their_first_session(signed_in, lenient, secret):
    page = signed_in
    make_agent(page, "woken")
    add_trigger(page, "Webhook")
    expect(page.locator("#f-t0-secret-said")).to_contain_text("There is no secret")
    page.locator("#f-t0-name").fill("orders")
    page.locator("#f-t0-secret").fill("ORDERS_HOOK")
    page.locator("#f-t0-dedupe").fill("body.event_id")
    expect(page.locator("#f-t0-secret-said")).not_to_contain_text("There is no secret")
    add_trigger(page, "Schedule")
    page.locator("#f-t1-timezone").fill("Europe/Berlin")
    expect(page.locator("#trigger-1-state")).to_have_text("acts once published")
    publish(page)

    page.goto("/agents/woken/triggers")
    expect(page.get_by_text("/hooks/tg_")).to_be_visible()
    expect(page.get_by_text("ORDERS_HOOK")).to_be_visible()
    expect(page.locator(".p-triggers__time").first).to_contain_text("09:00 CE")
    webhook = page.locator("section.c-card").first
    webhook.get_by_text("Try it").click()
    webhook.get_by_role("button", name="Send it, signed").click()
    page.wait_for_url("**/chat/s_*")
    expect(page.get_by_text("orders arrived")).to_be_visible()

    page.goto("/agents/woken/triggers")
    expect(page.get_by_role("link", name="Open")).to_be_visible()
    page.get_by_role("button", name="Switch off orders").click()
    expect(page.locator("section.c-card").first).to_contain_text("off")
    check_page(lenient, "/agents/woken/triggers")
    check_page(lenient, "/agents/woken/edit")
