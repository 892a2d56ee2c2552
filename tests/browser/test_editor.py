"""The editor in a real browser: form and YAML follow each other, nothing typed is lost, and what is wrong is shown."""

import pytest
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

FOCUSED_LINE = "document.querySelector('yaml-editor').shadowRoot.querySelectorAll('.cm-lit').length"


def text_of(page: Page) -> str:
    return page.evaluate("document.querySelector('yaml-editor').value")


def wait_for_text(page: Page, part: str) -> None:
    page.wait_for_function("part => document.querySelector('yaml-editor').value.includes(part)", arg=part)


def type_at(page: Page, line: int, words: str) -> None:
    page.evaluate("line => document.querySelector('yaml-editor').goTo(line, 1)", line)
    page.keyboard.insert_text(words)


def new_agent(page: Page, name: str, start: str = "Reads a folder") -> Page:
    page.goto("/agents/new")
    page.get_by_role("textbox", name="Name").fill(name)
    page.get_by_role("radio", name=start).check()
    page.get_by_role("button", name="Make agent").click()
    page.wait_for_selector("yaml-editor[data-ready]")
    expect(page.locator("#in-step")).to_have_text("in step with the form")
    return page


def test_a_field_changes_its_line_and_lights_it(signed_in):
    page = new_agent(signed_in, "lit-lines")

    page.get_by_label("Title").fill("Clerk of the shop")

    wait_for_text(page, "title: Clerk of the shop")
    assert "# scripted, needs no key" in text_of(page)
    assert page.evaluate(FOCUSED_LINE) == 1


def test_typing_in_the_yaml_changes_the_form(signed_in):
    page = new_agent(signed_in, "yaml-first")

    type_at(page, 2, "interrupts: {on_stop: wait}\n")

    expect(page.get_by_label("After Stop")).to_have_value("wait")


def test_a_typing_mistake_is_shown_at_its_line_and_mended_by_its_button(signed_in):
    page = new_agent(signed_in, "mistaken", "Blank agent")
    type_at(page, 2, "descripton: A clerk\n")
    problems = page.locator("#problems")
    expect(problems).to_contain_text("Did you mean description?")
    expect(page.get_by_role("button", name="Publish v1")).to_have_attribute("aria-disabled", "true")

    problems.get_by_role("button", name="Change to description").click()

    expect(problems).not_to_contain_text("Did you mean")
    assert "description: A clerk" in text_of(page)


def test_a_text_that_cannot_be_read_locks_the_form_and_opens_it_again(signed_in):
    page = new_agent(signed_in, "locked")

    type_at(page, 2, "tags: [half\n")
    expect(page.locator("#locked")).to_contain_text("in the YAML to edit here")
    page.keyboard.press("Control+z")

    expect(page.locator("#locked")).to_be_hidden()
    expect(page.get_by_label("Title")).to_be_editable()


def test_a_tool_is_added_and_removed_in_the_text(signed_in):
    page = new_agent(signed_in, "with-tools", "Blank agent")

    page.get_by_text("Add tool").click()
    page.locator("button[name=add_tool][value=calculator]").click()
    wait_for_text(page, "- calculator")
    page.get_by_role("button", name="Remove calculator").click()

    page.wait_for_function("() => !document.querySelector('yaml-editor').value.includes('calculator')")


def test_what_was_typed_is_saved_and_there_after_a_reload(signed_in):
    page = new_agent(signed_in, "saved")
    type_at(page, 2, "x-note: [half 😀\n")

    page.keyboard.press("Control+s")
    expect(page.locator("#saved")).to_contain_text("saved")
    page.reload()
    page.wait_for_selector("yaml-editor[data-ready]")

    assert "x-note: [half 😀" in text_of(page)


def test_publishing_names_the_version(signed_in):
    page = new_agent(signed_in, "published")

    page.keyboard.press("Control+Shift+P")
    page.get_by_role("dialog", name="Publish version 1").get_by_role("button", name="Publish").click()

    expect(page.locator("#toasts")).to_contain_text("Published v1")
    expect(page.get_by_role("button", name="Publish v2")).to_be_visible()
    expect(page.get_by_role("button", name="Publish v2")).to_have_attribute("title", "Same as v1")


def test_two_people_see_both_texts_and_none_is_lost(signed_in, browser: Browser, base_url, administrators_cookies):
    page = new_agent(signed_in, "two-people", "Blank agent")
    context = browser.new_context(base_url=base_url)
    context.add_cookies(administrators_cookies)
    other = context.new_page()
    other.goto("/agents/two-people/edit")
    other.wait_for_selector("yaml-editor[data-ready]")
    type_at(other, 2, "title: Theirs\n")
    other.keyboard.press("Control+s")
    expect(other.locator("#saved")).to_contain_text("saved ")
    context.close()

    type_at(page, 2, "title: Mine\n")
    page.keyboard.press("Control+s")
    page.get_by_role("button", name="See both").click()
    dialog = page.get_by_role("dialog", name="Two texts")
    expect(dialog).to_contain_text("title: Theirs")
    expect(dialog).to_contain_text("title: Mine")
    dialog.get_by_role("button", name="Save mine").click()

    expect(page.locator("#saved")).to_contain_text("saved ")
    page.reload()
    page.wait_for_selector("yaml-editor[data-ready]")
    assert "title: Mine" in text_of(page)


def test_the_draft_is_tried_in_the_playground(signed_in):
    page = new_agent(signed_in, "tried", "Blank agent")
    type_at(page, 2, "title: Not saved yet\n")

    page.get_by_role("button", name="Try").click()

    page.wait_for_url("**/chat/s_*")


def test_on_a_phone_form_and_yaml_take_turns(signed_in):
    signed_in.set_viewport_size({"width": 390, "height": 844})
    page = new_agent(signed_in, "on-a-phone")
    expect(page.get_by_label("Title")).to_be_hidden()

    page.locator("a[data-view=form]:visible").click()

    expect(page.get_by_label("Title")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_ctrl_s_a_draft_saves_itself(signed_in):
    page = new_agent(signed_in, "saves-itself", "Blank agent")

    type_at(page, 2, "title: Kept\n")

    expect(page.locator("#saved")).to_contain_text("saved ", timeout=15_000)


def test_a_file_that_is_dropped_on_the_list_is_looked_at(signed_in):
    signed_in.goto("/")
    signed_in.evaluate(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(["name: dropped\\nmodel: playbook/echo\\n"], "dropped.yaml"));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }"""
    )

    signed_in.wait_for_url("**/agents/import")
    expect(signed_in.get_by_role("heading", name="dropped")).to_be_visible()
    signed_in.get_by_role("button", name="Import as a draft").click()
    signed_in.wait_for_url("**/agents/dropped/edit")


def test_without_scripts_the_yaml_and_each_section_are_forms(browser: Browser, base_url, administrators_cookies):
    context = browser.new_context(base_url=base_url, java_script_enabled=False)
    context.add_cookies(administrators_cookies)
    page = context.new_page()
    page.goto("/agents/new")
    page.get_by_role("textbox", name="Name").fill("plain-forms")
    page.get_by_role("button", name="Make agent").click()

    page.locator("#f-title").fill("Plain")
    page.locator("#section-identity").get_by_role("button", name="Save this section").click()
    expect(page.locator("#yaml-text")).to_contain_text("title: Plain")
    page.locator("#yaml-text").fill("name: plain-forms\nmodel: playbook/echo\n")
    page.get_by_placeholder("What changed").fill("First")
    page.get_by_role("button", name="Publish", exact=True).click()

    expect(page.locator("#toasts")).to_contain_text("Published v1")
    context.close()


def test_the_list_follows_what_happens_without_a_reload(signed_in, browser: Browser, base_url, administrators_cookies):
    signed_in.goto("/")
    signed_in.evaluate("document.body.dataset.same = 'page'")
    context = browser.new_context(base_url=base_url)
    context.add_cookies(administrators_cookies)
    other = context.new_page()
    other.goto("/agents/tutor/edit")
    other.wait_for_selector("yaml-editor[data-ready]")
    type_at(other, 2, "x-note: changed\n")
    other.keyboard.press("Control+s")
    expect(other.locator("#saved")).to_contain_text("saved ")
    context.close()

    expect(signed_in.locator("#agent-tutor")).to_contain_text("unpublished edits", timeout=25_000)
    assert signed_in.evaluate("document.body.dataset.same") == "page"


def test_publishing_over_somebodys_save_shows_both_texts(signed_in, browser: Browser, base_url, administrators_cookies):
    page = new_agent(signed_in, "published-late", "Blank agent")
    context = browser.new_context(base_url=base_url)
    context.add_cookies(administrators_cookies)
    other = context.new_page()
    other.goto("/agents/published-late/edit")
    other.wait_for_selector("yaml-editor[data-ready]")
    type_at(other, 2, "title: Theirs\n")
    other.keyboard.press("Control+s")
    expect(other.locator("#saved")).to_contain_text("saved ")
    context.close()

    page.get_by_role("button", name="Publish v1").click()
    page.get_by_role("dialog", name="Publish version 1").get_by_role("button", name="Publish").click()
    page.get_by_role("button", name="See both").click()
    page.get_by_role("dialog", name="Two texts").get_by_role("button", name="Take theirs").click()

    wait_for_text(page, "title: Theirs")
    expect(page.get_by_label("Title")).to_have_value("Theirs")


def test_enter_indents_what_belongs_to_a_key(signed_in):
    page = new_agent(signed_in, "indented", start="Blank agent")
    page.evaluate("document.querySelector('yaml-editor').replaceText('name: indented\\nmodel: playbook/echo\\n')")
    page.evaluate("document.querySelector('yaml-editor').goTo(3, 1)")

    page.keyboard.type("system_prompt: |")
    page.keyboard.press("Enter")
    page.keyboard.type("Be brief.")
    page.keyboard.press("Enter")
    page.keyboard.press("Backspace")
    page.keyboard.type("tools:")
    page.keyboard.press("Enter")
    page.keyboard.type("- clock")

    assert text_of(page).endswith("system_prompt: |\n  Be brief.\ntools:\n  - clock")
