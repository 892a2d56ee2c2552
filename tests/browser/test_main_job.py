"""The main job from end to end: an agent by typing YAML, a talk, Stop, a reload, the trajectory, the exact words."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.playground import live, picture, say, settled, start, streamed

pytestmark = pytest.mark.browser

AGENT = """\
# written by hand
name: {name}
model: playbook/echo
system_prompt: |
  You repeat what you hear.
"""
LONG = " ".join(f"word{number}" for number in range(200))


@pytest.fixture(params=[(1440, 900), (390, 844)], ids=["desk", "phone"])
def desk(request, signed_in: Page) -> tuple[Page, str]:
    width, height = request.param
    signed_in.set_viewport_size({"width": width, "height": height})
    return signed_in, f"typed-{width}"


def test_from_yaml_to_the_words_that_the_model_was_shown(desk):
    page, name = desk
    write_agent(page, name)
    publish(page)
    start(page, name, "Hello there.")
    settled(page)
    say(page, LONG)
    streamed(page)

    page.get_by_role("button", name="Stop").click()

    expect(page.get_by_text("cut off", exact=True)).to_be_visible()
    settled(page)
    shown = picture(page)
    page.reload()
    live(page)
    assert picture(page) == shown
    read_the_prompt_of_llm_1(page)


def write_agent(page: Page, name: str) -> None:
    page.goto("/agents/import")
    page.get_by_label("Or paste the text").fill(AGENT.format(name=name))
    page.get_by_role("button", name="Look at it first").click()
    page.get_by_role("button", name="Import as a draft").click()
    page.wait_for_url(re.compile(f"/agents/{name}/edit"))


def publish(page: Page) -> None:
    page.get_by_role("button", name=re.compile("Publish")).first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill("First version")
    dialog.get_by_role("button", name=re.compile("Publish")).click()
    expect(page.get_by_text(re.compile("Published v1")).first).to_be_visible()


def read_the_prompt_of_llm_1(page: Page) -> None:
    """Its trajectory, the step, the words, and the hash that was recorded for them."""
    address = page.locator("a[href^='/rollouts/r_']").first.get_attribute("href")
    page.goto(f"{address}")
    page.get_by_role("link", name="llm_1", exact=True).click()
    page.get_by_role("link", name="Prompt").click()
    expect(page.get_by_text("Matches the recorded hash")).to_be_visible()
    expect(page.locator("#prompt")).to_contain_text("Hello there.")
