"""Every template can be read, and none holds what the content security policy refuses."""

import re
from pathlib import Path

import pytest
from django.template.loader import get_template

ROOT = Path(__file__).parents[1] / "templates"
NAMES = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.html"))
COMMENT = re.compile(r"{#.*?#}|{% comment %}.*?{% endcomment %}", re.DOTALL)
INCLUDE = re.compile(r'{%\s*include "([^"]+)"(.*?)%}', re.DOTALL)
REFUSED = {
    "an inline style": re.compile(r"<[^>]*\sstyle\s*=|<style\b", re.I),
    "an inline script": re.compile(r"<script\b(?![^>]*\ssrc=)", re.I),
    "an inline handler": re.compile(r"<[^>]*\son[a-z]+\s*=|\shx-on", re.I),
    "markup that is not escaped": re.compile(r"\|\s*safe\b|{%\s*autoescape\s+off"),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_template_compiles(name):
    get_template(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_template_keeps_to_the_content_security_policy(name):
    text = COMMENT.sub("", (ROOT / name).read_text())

    assert [what for what, pattern in REFUSED.items() if pattern.search(text)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_part_with_a_form_is_given_the_csrf_token(name):
    text = COMMENT.sub("", (ROOT / name).read_text())
    forgotten = [
        part
        for part, arguments in INCLUDE.findall(text)
        if arguments.rstrip().endswith(" only") and "csrf_token" not in arguments and _posts(part)
    ]

    assert forgotten == [], "`only` hides the token: pass csrf_token=csrf_token"


def _posts(part: str) -> bool:
    return "{% csrf_token %}" in COMMENT.sub("", (ROOT / part).read_text())
