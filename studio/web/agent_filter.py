"""The filter of the agents list: words, tag, status, model and order, all of it in the URL."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from studio.queries.agent_rows import AgentRow

STATUSES = {"live": "Published", "edited": "Unpublished edits", "draft": "Never published", "archived": "Archived"}
SORTS = {"active": "Last active", "name": "Name", "cost": "Cost", "well": "Finished well"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a menu; `href` is the list with it chosen, or without it if it was."""

    label: str
    count: int | None
    href: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class AgentFilter:
    q: str = ""
    tag: str = ""
    status: str = ""
    model: str = ""
    sort: str = "active"

    @classmethod
    def of(cls, query: QueryDict) -> "AgentFilter":
        """What the query string asks for; what is not a choice is left out."""
        status, sort = query.get("status", ""), query.get("sort", "active")
        return cls(
            q=query.get("q", "").strip()[:200],
            tag=query.get("tag", "")[:200],
            status=status if status in STATUSES else "",
            model=query.get("model", "")[:200],
            sort=sort if sort in SORTS else "active",
        )

    @property
    def is_empty(self) -> bool:
        return not (self.q or self.tag or self.status or self.model)

    def applied(self, rows: Iterable[AgentRow]) -> list[AgentRow]:
        """The rows that match, in order."""
        found = [row for row in rows if self._matches(row)]
        match self.sort:
            case "name":
                return sorted(found, key=lambda row: row.agent.name)
            case "cost":
                return sorted(found, key=lambda row: row.cost_usd, reverse=True)
            case "well":
                return sorted(found, key=lambda row: 101 if row.finished_well is None else row.finished_well)
            case _:
                return found

    def menus(self, rows: Sequence[AgentRow]) -> dict[str, Any]:
        """The choices of each chip with how many agents each has, over the whole list."""
        tags = Counter(tag for row in rows for tag in row.tags)
        models = Counter(row.model for row in rows if row.model)
        states = Counter(row.status for row in rows)
        return {
            "tags": [self._choice("tag", tag, tag, count) for tag, count in tags.most_common()],
            "models": [self._choice("model", model, model, count) for model, count in models.most_common()],
            "statuses": [
                self._choice("status", key, word, states[key])
                for key, word in STATUSES.items()
                if states[key] or key == "archived"
            ],
            "sorts": [self._choice("sort", key, word, None) for key, word in SORTS.items()],
            "sort_word": SORTS[self.sort],
            "status_word": STATUSES.get(self.status, ""),
        }

    def _matches(self, row: AgentRow) -> bool:
        said = " ".join((row.agent.name, row.agent.title, row.agent.description, row.model, *row.tags)).lower()
        return (
            all(word in said for word in self.q.lower().split())
            and (not self.tag or self.tag in row.tags)
            and (not self.status or self.status == row.status)
            and (not self.model or self.model == row.model)
        )

    def _choice(self, key: str, value: str, label: str, count: int | None) -> Choice:
        chosen = {"q": self.q, "tag": self.tag, "status": self.status, "model": self.model, "sort": self.sort}
        is_current = chosen[key] == value
        chosen[key] = "" if is_current else value
        kept = {name: word for name, word in chosen.items() if word and (name, word) != ("sort", "active")}
        return Choice(label, count, f"?{urlencode(kept)}", is_current)
