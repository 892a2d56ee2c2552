"""An RSS or Atom feed: each new entry."""

from runtime.ports import Happening, Look, ToolFailed
from runtime.tools.outbound.client import GuardedClient
from studio.sources.feed_text import read_feed
from studio.sources.seen import cursor_of, digest, seen_in

MOST_AT_ONCE = 20
MOST_REMEMBERED = 2_000
SHORTEST_SECONDS = 60.0
OK = 200
_ACCEPT = {"Accept": "application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.8"}


class Feed:
    """The feed at an address, fetched through the guarded client."""

    def __init__(self, client: GuardedClient, url: str, every_seconds: float) -> None:
        self._client, self._url = client, url
        self.every_seconds = max(every_seconds, SHORTEST_SECONDS)

    async def look(self, cursor: str) -> Look:
        entries = read_feed(await self._fetched())
        names = [digest(entry.key) for entry in entries]
        if not cursor:
            return Look((), cursor_of(names))
        remembered = seen_in(cursor)
        known = set(remembered)
        new = [(name, entry) for name, entry in zip(names, entries, strict=True) if name not in known]
        taken = list(reversed(new))[:MOST_AT_ONCE]  # feeds begin with the newest
        happenings = [Happening(f"entry:{name}", entry.body) for name, entry in taken]
        seen = dict.fromkeys([name for name, _ in taken] + remembered)
        return Look(happenings, cursor_of(list(seen)[:MOST_REMEMBERED]))

    async def _fetched(self) -> bytes:
        request = self._client.request("GET", self._url, headers=_ACCEPT)
        answer = await self._client.fetch(request)
        if answer.status != OK:
            raise ToolFailed(f"{request.target.host} answered {answer.status} and not 200")
        if answer.is_cut:
            raise ToolFailed("the feed is larger than 1 MiB, which is more than is read")
        return answer.body
