"""The one Markdown renderer: what must be harmless is, what must survive does."""

from html.parser import HTMLParser

import pytest

from studio.templatetags.code_spans import code_spans
from studio.templatetags.markdown import MAX_CHARACTERS, cut_markdown, markdown
from tests.fixtures import HOSTILE

MARKDOWN = HOSTILE / "markdown-xss.md"
HARMLESS_TAGS = set(
    "p br hr strong em s code pre blockquote ul ol li a span h4 h5 h6 table thead tbody tr th td".split()  # noqa: SIM905
)
HARMLESS_ATTRIBUTES = {"href", "rel", "target", "class", "start"}


class Elements(HTMLParser):
    """What a browser would make of it: tags with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def hostile() -> str:
    return MARKDOWN.read_text(encoding="utf-8")


def test_no_element_or_attribute_beyond_the_short_list_gets_through(hostile):
    found = Elements(markdown(hostile)).found

    assert {tag for tag, _ in found} <= HARMLESS_TAGS
    assert {name for _, attributes in found for name in attributes} <= HARMLESS_ATTRIBUTES
    assert {attributes.get("class") for _, attributes in found} <= {None, "c-prose__target"}


def test_links_lead_to_the_web_or_to_mail_and_nowhere_else(hostile):
    hrefs = [attributes["href"] or "" for tag, attributes in Elements(markdown(hostile)).found if "href" in attributes]

    assert hrefs
    assert all(href.startswith(("https://", "http://", "mailto:")) for href in hrefs)


def test_a_text_that_grows_byte_by_byte_is_harmless_at_every_length(hostile):
    for end in range(0, len(hostile), 97):
        found = Elements(markdown(hostile[:end])).found

        assert {tag for tag, _ in found} <= HARMLESS_TAGS


def test_what_must_survive_survives(hostile):
    html = markdown(hostile[hostile.index("## Must survive") :])

    assert "<strong>bold</strong>, <em>italic</em>, <code>code</code>, <s>struck</s>" in html
    assert "<td>한국어</td>" in html
    assert "1 &lt; 2 &amp;&amp; 3 &gt; 2" in html


def test_a_link_says_where_it_leads():
    assert "(xss.invalid/56)" in markdown("[https://bank.example/login](https://xss.invalid/56)")
    assert "(xss.invalid/58)" in markdown("[user part](https://example.com@xss.invalid/58)")
    assert "c-prose__target" not in markdown("[example.com/a](https://example.com/a)")


@pytest.mark.parametrize("target", ["/logout", "//xss.invalid/55", "wss://xss.invalid", "javascript:alert(1)", "#x"])
def test_a_link_to_elsewhere_is_no_link(target):
    assert "href" not in markdown(f"[words]({target})").replace("[words](", "")


def test_headings_stand_below_those_of_the_page():
    assert markdown("# One\n\n## Two\n\n### Three") == "<h4>One</h4>\n<h5>Two</h5>\n<h6>Three</h6>\n"


def test_a_text_that_was_cut_off_ends_in_an_ellipsis():
    assert cut_markdown("bring it back to u ") == "<p>bring it back to u…</p>"
    assert cut_markdown("```\ncode").endswith("<p>…</p>")


def test_a_very_long_text_is_shown_as_it_was_written():
    assert markdown("<b>" + "x" * MAX_CHARACTERS).startswith("<pre>&lt;b&gt;xxx")


def test_words_between_backticks_are_code_and_nothing_else_is_markup():
    assert code_spans("`<b>` is no key. Write `name`.") == (
        "<code>&lt;b&gt;</code> is no key. Write <code>name</code>."
    )
