"""A watched folder and a feed: what is new is seen once, and nothing is believed that they say."""

import os
from pathlib import Path

import pytest
from aiohttp import web

from runtime.ports import ToolFailed
from runtime.tools.outbound.client import GuardedClient
from runtime.tools.outbound.policy import OutboundPolicy
from studio.sources.feed import Feed
from studio.sources.feed_text import read_feed
from studio.sources.folder import WatchedFolder
from tests.tools.web import serving
from tests.triggers.source_suite import check_source

LONG_AGO = 1_700_000_000


class Inbox:
    """A folder to put files in; each is older than the one after it."""

    def __init__(self, root: Path) -> None:
        self.root, self.time = root, LONG_AGO
        (root / "inbox").mkdir()

    def add(self, name: str, text: str = "x", suffix: str = ".pdf") -> None:
        self.time += 1
        path = self.root / "inbox" / f"{name}{suffix}"
        path.write_text(text)
        os.utime(path, (self.time, self.time))

    def source(self, now: int = 0) -> WatchedFolder:
        return WatchedFolder(self.root, "inbox", "*.pdf", now=lambda: now or (self.time + 60) * 10**9)


@pytest.fixture
def inbox(tmp_path):
    return Inbox(tmp_path)


async def test_a_folder_is_a_source(inbox):
    await check_source(inbox.source(), inbox.add)


async def test_a_file_is_named_by_its_path_in_the_workspace(inbox):
    start = await inbox.source().look("")
    inbox.add("invoice", "four")

    [happening] = (await inbox.source().look(start.cursor)).happenings
    assert happening.body == {"path": "inbox/invoice.pdf", "name": "invoice.pdf", "size": 4}


async def test_other_names_links_and_folders_are_left_alone(inbox, tmp_path):
    start = await inbox.source().look("")
    inbox.add("notes", suffix=".txt")
    (tmp_path / "inbox" / "folder.pdf").mkdir()
    (tmp_path / "inbox" / "link.pdf").symlink_to("/etc/passwd")

    assert list((await inbox.source().look(start.cursor)).happenings) == []


async def test_a_file_that_is_still_being_written_waits(inbox):
    start = await inbox.source().look("")
    inbox.add("big")
    now = inbox.time * 10**9

    soon = await inbox.source(now + 10**9).look(start.cursor)
    later = await inbox.source(now + 3 * 10**9).look(soon.cursor)
    assert (len(soon.happenings), len(later.happenings)) == (0, 1)


async def test_a_file_that_is_written_anew_comes_again(inbox):
    inbox.add("report")
    start = await inbox.source().look("")
    inbox.add("report", "other")

    assert len((await inbox.source().look(start.cursor)).happenings) == 1


async def test_many_files_come_in_parts_and_all_of_them(inbox):
    cursor, names = (await inbox.source().look("")).cursor, []
    for number in range(50):
        inbox.add(f"n{number:02}")
    for _ in range(4):
        look = await inbox.source().look(cursor)
        cursor, names = look.cursor, names + [happening.body["name"] for happening in look.happenings]

    assert names == [f"n{number:02}.pdf" for number in range(50)]


@pytest.mark.parametrize("path", ["missing", "../outside"])
async def test_a_folder_that_cannot_be_watched_is_told_in_words(tmp_path, path):
    with pytest.raises(ToolFailed, match=r"no folder missing|outside"):
        await WatchedFolder(tmp_path, path, "*").look("")


def rss(*items: str) -> str:
    listed = "".join(f"<item><title>{item}</title><guid>g-{item}</guid></item>" for item in reversed(items))
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>{listed}</channel></rss>'


def client_for(port: int) -> GuardedClient:
    return GuardedClient(OutboundPolicy.parse(f"127.0.0.1:{port}"))


async def test_a_feed_is_a_source():
    items: list[str] = []

    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=rss(*items), content_type="application/rss+xml")

    async with serving(answer) as site:
        await check_source(Feed(client_for(site.port), f"http://127.0.0.1:{site.port}/rss", 900), items.append)


async def test_an_entry_that_was_left_out_for_a_while_does_not_come_again():
    texts = [rss("a", "b"), rss("b"), rss("a", "b")]

    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=texts.pop(0))

    async with serving(answer) as site:
        source, cursor = Feed(client_for(site.port), f"http://127.0.0.1:{site.port}/", 900), ""
        for _ in range(3):
            look = await source.look(cursor)
            cursor = look.cursor
            assert list(look.happenings) == []


@pytest.mark.parametrize(("status", "text", "words"), [(500, "", "answered 500"), (200, "<html><p>", "no RSS or Atom")])
async def test_a_feed_that_cannot_be_read_is_told_in_words(status, text, words):
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, text=text)

    async with serving(answer) as site:
        with pytest.raises(ToolFailed, match=words):
            await Feed(client_for(site.port), f"http://127.0.0.1:{site.port}/", 900).look("")


async def test_a_feed_inside_the_house_is_not_fetched():
    with pytest.raises(ToolFailed, match="not on the public internet"):
        await Feed(GuardedClient(), "http://127.0.0.1:9/rss", 900).look("")


def test_an_atom_entry_is_read_as_plain_text():
    [entry] = read_feed(
        b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>tag:1</id><title type="html">A &lt;b&gt;bold&lt;/b&gt;
        title</title><link rel="self" href="https://x.example/self"/><link href="https://x.example/1"/>
        <updated>2026-01-02T03:04:05Z</updated>
        <summary>&lt;script&gt;alert(1)&lt;/script&gt; Words</summary></entry></feed>"""
    )

    assert entry.key == "tag:1"
    assert entry.body == {
        "title": "A bold title",
        "link": "https://x.example/1",
        "published": "2026-01-02T03:04:05Z",
        "summary": "alert(1) Words",
    }


@pytest.mark.parametrize(
    "text",
    [
        b'<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><item><title>&b;</title></item></rss>',
        b'<!DOCTYPE rss SYSTEM "http://127.0.0.1:9/evil.dtd"><rss/>',
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><item><title>&x;</title></item></rss>',
        b"",
        b"not xml",
        b'<?xml version="1.0" encoding="no-such"?><rss/>',
    ],
)
def test_a_feed_that_names_entities_or_is_none_is_refused(text):
    with pytest.raises(ToolFailed, match="no RSS or Atom"):
        read_feed(text)


def test_an_empty_feed_is_a_feed():
    assert read_feed(b'<rss version="2.0"><channel><title>News</title></channel></rss>') == []
