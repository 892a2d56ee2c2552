"""Talking to an agent in Chromium: it streams, it is stopped, nothing is missing and nothing is double."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.barriers import check_page
from tests.browser.links import link_for
from tests.browser.playground import live, picture, rows, say, settled, start, streamed, streaming, until
from tests.server import StudioServer

pytestmark = pytest.mark.browser

REFUND = "It is order 48213. The front leg is split right through."


@pytest.fixture(scope="session")
def echo(studio, tmp_path_factory) -> str:
    """An agent that says back what it was told, a word each 30 ms."""
    path = tmp_path_factory.mktemp("agents") / "echo.yaml"
    path.write_text("name: echo\nmodel: playbook/echo\nsystem_prompt: You repeat.\n")
    studio.manage("agents", "apply", str(path), "--publish")
    return "echo"


@pytest.fixture
def busy(signed_in: Page, echo: str) -> Page:
    """A page on which an agent is in the middle of half a minute's talk."""
    start(signed_in, echo, "word " * 1000)
    streamed(signed_in)
    return signed_in


@pytest.fixture(params=[(1440, 900), (390, 844)], ids=["desk", "phone"])
def chat(request, signed_in: Page) -> Page:
    width, height = request.param
    signed_in.set_viewport_size({"width": width, "height": height})
    return signed_in


def test_an_answer_streams_is_stopped_and_looks_the_same_after_a_reload(chat):
    start(chat)
    settled(chat)
    say(chat, REFUND)
    before = streamed(chat)
    chat.get_by_role("button", name="Stop").click()

    expect(chat.get_by_text("cut off", exact=True)).to_be_visible()
    expect(chat.get_by_text("pressed Stop")).to_be_visible()
    settled(chat)
    cut = chat.locator("[data-state=cut] .c-message__text").inner_text()
    assert cut.startswith(before.strip())
    assert cut.endswith("…")
    shown, listed = picture(chat), rows(chat)
    chat.reload()
    live(chat)

    assert picture(chat) == shown
    assert rows(chat) == listed
    assert chat.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_calls_fold_and_open_to_arguments_and_result(signed_in):
    page = signed_in
    start(page, text=REFUND)
    streamed(page)
    folded = page.get_by_text("2 steps done")
    folded.click()
    page.locator("summary", has_text="lookup_order").last.click()

    expect(page.get_by_text("Arguments").first).to_be_visible()
    expect(page.locator("pre", has_text="48213").first).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    settled(page)
    expect(page.locator("details", has_text="2 steps done").first).to_have_attribute("open", "")


def test_a_message_to_a_busy_agent_waits_in_the_tray_and_is_delivered(busy):
    say(busy, "Also, my address has changed.")

    expect(busy.locator("#queue")).to_contain_text("1 waiting. Delivered when the current step ends.")
    expect(busy.locator("#queue")).to_contain_text("Also, my address has changed.")
    busy.get_by_role("button", name="Stop").click()
    settled(busy)
    expect(busy.locator("#conversation .c-message[data-own]", has_text="Also, my address has changed.")).to_have_count(
        1
    )


def test_a_waiting_message_is_taken_back(busy):
    say(busy, "Forget this")
    busy.get_by_role("button", name="Remove: Forget this").click()

    expect(busy.locator("#queue .c-queue__item")).to_have_count(0)
    busy.get_by_role("button", name="Stop").click()
    settled(busy)
    assert "Forget this" not in busy.locator("#conversation").inner_text()


def test_a_waiting_message_breaks_in(busy):
    say(busy, "Wait, I would rather keep it")
    busy.get_by_role("button", name="Interrupt with this: Wait").click()

    expect(busy.get_by_text(re.compile("interrupted"))).to_be_visible()
    expect(busy.get_by_text("cut off", exact=True)).to_be_visible()
    own = busy.locator("#conversation .c-message[data-own]", has_text="Wait, I would rather keep it")
    expect(own).to_have_count(1)
    settled(busy)


def test_keys_send_break_lines_interrupt_and_stop(signed_in):
    page = signed_in
    start(page, text=REFUND)
    streamed(page)
    field = page.get_by_label("Message", exact=True)
    field.fill("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".c-message[data-own] .c-message__text", has_text="two")).to_have_text("one\ntwo")
    expect(page.get_by_text("interrupted")).to_be_visible()

    settled(page)
    say(page, REFUND)
    streamed(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_text("pressed Stop")).to_be_visible()


def test_offline_in_mid_answer_nothing_is_missing_and_nothing_double(chat):
    session = start(chat, text=REFUND)
    streamed(chat)
    chat.context.set_offline(True)
    expect(chat.get_by_text("Connection lost, trying again.")).to_be_visible(timeout=10_000)
    say(chat, "Are you there?")
    expect(chat.get_by_text("kept here, sent when the server is back")).to_be_visible()
    chat.context.set_offline(False)

    live(chat)
    expect(chat.get_by_text("Connection lost")).to_have_count(0)
    expect(chat.locator(".c-message[data-own]:not([data-state])", has_text="Are you there?")).to_have_count(
        1, timeout=30_000
    )
    settled(chat)
    shown, listed = picture(chat), rows(chat)
    assert len(listed) == len(set(listed))
    chat.goto(f"/chat/{session}")
    live(chat)
    assert picture(chat) == shown
    assert rows(chat) == listed


def test_a_hidden_tab_comes_back_to_the_whole_answer(signed_in):
    page = signed_in
    session = start(page, text=REFUND)
    streamed(page)
    other = page.context.new_page()
    other.goto("/settings/account")
    other.bring_to_front()
    page.evaluate("() => { const s = document.querySelector('session-stream'); s.close(); s.lose({code: 0}); }")
    until(page, lambda: page.evaluate("document.querySelector('session-stream').isLive"))
    page.bring_to_front()

    settled(page)
    shown = picture(page)
    page.goto(f"/chat/{session}")
    live(page)
    assert picture(page) == shown


def test_joining_in_mid_answer_shows_the_text_from_its_first_letter(signed_in, browser, base_url):
    page = signed_in
    session = start(page, text=REFUND)
    text = streamed(page)
    late = page.context.new_page()
    late.goto(f"/chat/{session}")

    assert streamed(late, len(text) + 5).startswith(text.strip()[:60])
    settled(late)
    settled(page)
    assert picture(late) == picture(page)


def test_who_reads_further_up_stays_there_and_is_told_what_is_new(signed_in):
    page = signed_in
    page.set_viewport_size({"width": 1440, "height": 420})
    start(page, text=REFUND)
    streamed(page)
    say(page, "Also this")
    page.locator("#conversation-scroll").evaluate("e => e.scrollTo(0, 0)")

    expect(page.get_by_role("button", name=re.compile("new"))).to_be_visible(timeout=30_000)
    assert page.locator("#conversation-scroll").evaluate("e => e.scrollTop") == 0
    page.get_by_role("button", name=re.compile("new")).click()
    expect(page.get_by_role("button", name=re.compile("new"))).to_be_hidden()


def test_a_draft_survives_a_reload(signed_in):
    page = signed_in
    start(page)
    settled(page)
    page.get_by_label("Message", exact=True).fill("half a thou")
    page.reload()
    live(page)

    expect(page.get_by_label("Message", exact=True)).to_have_value("half a thou")


def test_without_scripts_one_can_talk_by_posting(browser, base_url, administrators_cookies):
    context = browser.new_context(base_url=base_url, java_script_enabled=False)
    context.add_cookies(administrators_cookies)
    page = context.new_page()
    page.goto("/chat/new?agent=tutor")
    page.get_by_role("button", name="What is 3/4 plus 1/8?").click()
    page.locator("textarea[name=content]").fill("Thank you")
    page.get_by_role("button", name="Send").click()

    expect(page.locator("#conversation")).to_contain_text("What is 3/4 plus 1/8?")
    context.close()


def test_the_inspector_filters_and_leads_to_the_message(signed_in):
    page = signed_in
    start(page)
    settled(page)
    thought = page.locator("#events [data-category=thinking]").first
    expect(thought).to_be_visible()
    page.get_by_text("Thinking", exact=True).click()
    expect(thought).to_be_hidden()
    page.locator("#events a[data-type='agent.output']").first.click()
    expect(page.locator("[data-lit]")).to_have_count(1)
    page.get_by_role("tab", name="Prompt").click()

    expect(page.get_by_text("Matches the recorded hash.")).to_be_visible()


def test_on_a_phone_the_list_leads_to_the_session_and_its_events_to_a_sheet(signed_in):
    page = signed_in
    page.set_viewport_size({"width": 390, "height": 844})
    start(page, text="Where is my order, phone")
    settled(page)
    page.get_by_role("link", name="Back to the sessions").click()
    page.get_by_role("link", name=re.compile("Where is my order, phone")).first.click()
    live(page)
    page.get_by_role("button", name="Events", exact=True).click()

    expect(page.locator("#inspector #events a").first).to_be_visible()
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.locator("#inspector")).to_be_hidden()


def test_a_session_is_renamed_and_deleted(signed_in):
    page = signed_in
    start(page, text="Soon to be called otherwise")
    settled(page)
    page.get_by_label("More", exact=True).first.click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Title").fill("Cracked bench leg")
    page.locator("#rename-dialog").get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", name="Cracked bench leg")).to_be_visible()

    page.get_by_label("More", exact=True).first.click()
    page.get_by_role("button", name="Delete").click()
    page.locator("#delete-dialog").get_by_role("button", name="Delete").click()
    page.wait_for_url("**/chat")
    expect(page.get_by_text("Cracked bench leg")).to_have_count(0)


def test_the_playground_has_no_barrier(lenient):
    start(lenient, text=REFUND)
    streamed(lenient)
    lenient.get_by_role("button", name="Stop").click()
    settled(lenient)
    assert streaming(lenient).count() == 0

    for path in (lenient.url, "/chat", "/chat/new", "/chat/new?agent=tutor"):
        check_page(lenient, path)


@pytest.mark.chaos
def test_a_killed_server_goes_on_and_says_so(page, tmp_path):
    studio = StudioServer(tmp_path).start(first_run=True)
    try:
        page.goto(link_for(studio, "admin"))
        page.get_by_role("button", name="Sign in").click()
        page.goto(f"{studio.url}/chat/new?agent=refund-desk")
        page.get_by_label("First message").fill(REFUND)
        page.get_by_role("button", name="Send").click()
        live(page)
        streamed(page)
        studio.kill()
        studio.start()

        expect(page.get_by_text(re.compile(r"Server restarted. 1 step read from the log"))).to_be_visible(
            timeout=40_000
        )
        settled(page)
        shown = picture(page)
        page.reload()
        live(page)
        assert picture(page) == shown
    finally:
        studio.stop()


def test_the_list_of_sessions_follows_what_happens_also_under_the_pointer(signed_in):
    session = start(signed_in)
    row = signed_in.locator(f"#in-list-{session}")
    settled(signed_in)
    expect(row.locator(".c-state")).to_have_text("needs_clarification")
    row.hover()

    say(signed_in, REFUND)

    expect(row.locator(".c-state")).to_have_text("processing_request", timeout=15_000)
    expect(row.locator(".c-status")).to_have_text("running")
    settled(signed_in)
    expect(row.locator(".c-status")).to_have_text("waiting", timeout=15_000)
