"""Images in the playground, in Chromium: chosen, taken back, sent, and shown to everybody in the session."""

import base64

import pytest
from playwright.sync_api import Page, expect

from tests.browser.playground import settled, start

pytestmark = pytest.mark.browser

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DROP = """(data) => {
  const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
  const carrying = (name) => {
    const carried = new DataTransfer();
    carried.items.add(new File([bytes], name, { type: "image/png" }));
    return carried;
  };
  const composer = document.getElementById("composer");
  composer.dispatchEvent(new DragEvent("drop", { dataTransfer: carrying("bench.png"), cancelable: true }));
  const paste = new ClipboardEvent("paste", { clipboardData: carrying("leg.png"), cancelable: true });
  composer.elements.content.dispatchEvent(paste);
}"""


@pytest.fixture
def chat(signed_in: Page) -> Page:
    start(signed_in)
    settled(signed_in)
    return signed_in


def choose(page: Page, name: str, data: bytes) -> None:
    page.locator("#composer input[type=file]").set_input_files({"name": name, "mimeType": "image/png", "buffer": data})


def test_an_image_is_chosen_sent_and_shown_before_and_after_a_reload(chat):
    choose(chat, "leg.png", PNG)
    expect(chat.get_by_role("button", name="Remove leg.png")).to_be_visible()

    chat.get_by_label("Message", exact=True).fill("This leg")
    chat.keyboard.press("Enter")

    image = chat.locator("#conversation .c-files__image")
    expect(image).to_have_count(1)
    assert image.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") == 1
    expect(chat.get_by_role("button", name="Remove leg.png")).to_have_count(0)
    settled(chat)
    chat.reload()
    expect(image).to_have_count(1)


def test_what_is_dropped_or_pasted_is_there_and_can_be_taken_back(chat):
    chat.evaluate(DROP, base64.b64encode(PNG).decode())
    chosen = chat.get_by_role("button", name="Remove")
    expect(chosen).to_have_count(2)

    chat.get_by_role("button", name="Remove bench.png").click()

    expect(chosen).to_have_count(1)
    expect(chat.get_by_role("button", name="Remove leg.png")).to_be_visible()


def test_what_is_no_image_and_no_text_is_refused_where_it_stands(chat):
    choose(chat, "x.exe", b"MZ\x00\x01\xff\xfe")
    chat.get_by_label("Message", exact=True).fill("Run this")
    chat.keyboard.press("Enter")

    expect(chat.get_by_role("alert").filter(has_text="x.exe cannot be read")).to_be_visible()
