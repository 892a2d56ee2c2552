"""What holds of every template, style sheet and script: nothing inline, every icon and every token exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
STYLES = sorted((ROOT / "static" / "css").rglob("*.css"))
SCRIPTS = sorted((ROOT / "static" / "js").glob("*.js"))


def words_of(paths: list[Path]) -> str:
    return "\n".join(path.read_text() for path in paths)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_template_holds_no_inline_style_script_or_handler(path):
    text = re.sub(r"\{#.*?#\}", "", path.read_text())

    assert not re.search(r"<[^>]*\sstyle\s*=", text)
    assert not re.search(r"<[^>]*\son[a-z]+\s*=", text)
    assert not re.search(r"<style\b", text)
    assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*type=\"application/json\")[^>]*>", text)


def test_every_icon_that_a_template_names_is_in_the_sprite():
    known = set(re.findall(r'<symbol id="([^"]+)"', (ROOT / "static" / "icons" / "sprite.svg").read_text()))
    named = set(re.findall(r'_icon\.html" with name="([^"]+)"', words_of(TEMPLATES)))

    assert named - known == set()


def test_every_token_that_a_style_sheet_uses_is_defined():
    text = words_of(STYLES)
    defined = set(re.findall(r"(--[a-z0-9-]+)\s*:", text))
    used = set(re.findall(r"var\((--[a-z0-9-]+)\)", text + words_of(SCRIPTS)))

    assert used - defined == set()


def test_style_sheets_are_important_to_nobody_and_all_are_imported():
    app = (ROOT / "static" / "css" / "app.css").read_text()
    imported = set(re.findall(r'@import url\("([^"]+)"\)', app))

    assert "!important" not in words_of(STYLES)
    assert imported == {str(path.relative_to(ROOT / "static" / "css")) for path in STYLES} - {"app.css"}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_says_first_what_the_page_does_without_it(path):
    lines = path.read_text().splitlines()

    assert lines[0].startswith("// Without it:")
    assert len(lines) < 150


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_a_style_sheet_has_colours_only_through_tokens(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)

    if path.name != "tokens.css":
        assert not re.search(r"#[0-9a-f]{3,8}\b(?!\")|\brgba?\(|\bhsla?\(|\boklch\(", text)
