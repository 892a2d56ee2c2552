"""The entries of an RSS or Atom feed, read without ever loading what it names."""

import html
import re
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from runtime.domain.text import is_fit
from runtime.ports import ToolFailed

TITLE_CHARACTERS = 500
SUMMARY_CHARACTERS = 4_000
MOST_ENTRIES = 500
_TAG = re.compile(r"<[^>]{0,2000}>")
_ENTRIES = frozenset({"item", "entry"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as plain text. `key` is what the feed calls it, else its link, else its words."""

    key: str
    title: str
    link: str
    published: str
    summary: str

    @property
    def body(self) -> dict[str, Any]:
        said = {"title": self.title, "link": self.link, "published": self.published, "summary": self.summary}
        return {name: text for name, text in said.items() if text}


def read_feed(data: bytes) -> list[Entry]:
    """The entries in the feed's own order. Raises ToolFailed for what is no feed."""
    try:
        root = fromstring(data, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        raise ToolFailed("this is no RSS or Atom feed; give the address of the feed itself, not of a page") from None
    found = [node for node in root.iter() if _name(node) in _ENTRIES][:MOST_ENTRIES]
    if not found and _name(root) not in ("rss", "feed", "RDF"):
        raise ToolFailed("this is no RSS or Atom feed; give the address of the feed itself, not of a page")
    return [_entry(node) for node in found]


def _entry(node: Element) -> Entry:
    title = _plain(_text(node, "title"), TITLE_CHARACTERS)
    summary = _plain(_text(node, "description", "summary", "content", "encoded"), SUMMARY_CHARACTERS)
    link = _link(node)
    published = _plain(_text(node, "pubDate", "published", "updated", "date"), 100)
    key = _text(node, "guid", "id").strip() or link or f"{title}\n{published}\n{summary}"
    return Entry(key, title, link, published, summary)


def _link(node: Element) -> str:
    links = [child for child in node if _name(child) == "link"]
    alternate = [child for child in links if child.get("rel", "alternate") == "alternate"]
    for child in alternate or links:
        if address := (child.get("href") or child.text or "").strip():
            return _plain(address, 2_000)
    return ""


def _text(node: Element, *names: str) -> str:
    """The text of the first child of one of these names that has any."""
    for name in names:
        for child in node:
            if _name(child) == name and (text := "".join(child.itertext()).strip()):
                return text
    return ""


def _plain(text: str, longest: int) -> str:
    text = " ".join(html.unescape(_TAG.sub(" ", text)).split())
    return (text if is_fit(text) else text.replace("\0", "").encode(errors="replace").decode())[:longest]


def _name(node: Element) -> str:
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""
