"""The one Markdown renderer: what agents write, as harmless HTML. Nothing runs, nothing loads, no attribute acts."""

from collections.abc import MutableMapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import nh3
from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

register = template.Library()

MAX_CHARACTERS = 200_000  # longer texts are shown as they were written: a parser is no match for a megabyte
MAX_TARGET = 80
TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "span"),
    *("h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES: dict[str, set[str]] = {"*": set(), "a": {"href"}, "ol": {"start"}}  # "*": else lang and title pass
SCHEMES = {"http", "https", "mailto"}


@register.filter
def markdown(text: str) -> SafeString:
    """Markdown as HTML from a short allow-list; a link is followed by its target unless its words are the target."""
    if len(text) > MAX_CHARACTERS:
        return mark_safe(f"<pre>{escape(text)}</pre>")  # escaped
    cleaned = nh3.clean(
        _parser.render(text),
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        url_relative="deny",
        link_rel="noopener noreferrer nofollow",
        allowed_classes={"span": {"c-prose__target"}},
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return mark_safe(cleaned)  # nh3 has cleaned it


@register.filter
def cut_markdown(text: str) -> SafeString:
    """The same for a text that was cut off: it ends in an ellipsis."""
    html = markdown(text.rstrip()).rstrip()
    if html.endswith("</p>"):
        return mark_safe(f"{html.removesuffix('</p>')}…</p>")  # cleaned
    return mark_safe(f"{html}<p>…</p>")  # cleaned


def _heading(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping) -> str:
    """A message has no title of its own: its headings stand below those of the page."""
    token = tokens[index]
    token.tag = {"h1": "h4", "h2": "h5"}.get(token.tag, "h6")
    return self.renderToken(tokens, index, options, env)


def _link_close(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping) -> str:
    href, words = _link(tokens, index)
    target = _target(href)
    if not target or words.removeprefix("https://").removeprefix("http://") == target:
        return "</a>"
    shown = target if len(target) <= MAX_TARGET else f"{target[:MAX_TARGET]}…"
    return f'</a> <span class="c-prose__target">({escape(shown)})</span>'


def _link(tokens: Sequence[Token], close: int) -> tuple[str, str]:
    """The address and the words of the link that ends at `close`."""
    start = next(i for i in range(close, -1, -1) if tokens[i].type == "link_open")
    words = "".join(token.content for token in tokens[start + 1 : close])
    return str(tokens[start].attrs.get("href", "")), words


def _target(href: str) -> str:
    """Where a link leads: the real host and path, without a user part that poses as a host; else empty."""
    try:
        parts = urlsplit(href)
        if parts.scheme == "mailto":
            return parts.path
        if parts.scheme not in SCHEMES or not parts.hostname:
            return ""
        host = parts.hostname if parts.port is None else f"{parts.hostname}:{parts.port}"
    except ValueError:
        return ""
    return f"{host}{parts.path.rstrip('/') or ''}{'?' + parts.query if parts.query else ''}"


def _new_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 20})
    parser.enable(["table", "strikethrough"]).disable(["image"])
    for rule in ("heading_open", "heading_close"):
        parser.add_render_rule(rule, _heading)
    parser.add_render_rule("link_close", _link_close)
    return parser


_parser = _new_parser()
