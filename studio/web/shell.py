"""What the frame of every page shows: the navigation and the person. A context processor."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.urls import NoReverseMatch, reverse
from django.views.decorators.http import require_safe

from studio.queries.agents import project_for_new_agents
from studio.queries.escalations import open_escalations
from studio.queries.live import live_count, supervises_somewhere
from studio.queries.open_questions import open_question_count
from studio.web.person import person

GROUPS: list[tuple[str, list[tuple[str, str, str, str, str]]]] = [
    (
        "",
        [
            ("Agents", "bot", "agents", "g a", "Agents"),
            ("Playground", "messages-square", "playground", "g p", "Chat"),
            ("Rollouts", "list-tree", "rollouts", "g r", ""),
        ],
    ),
    (
        "Oversight",
        [
            ("Approvals", "circle-question-mark", "approvals", "g o", "Approvals"),
            ("Live", "radio", "live", "g l", "Live"),
        ],
    ),
    (
        "Workspace",
        [
            ("Tools", "wrench", "tools", "g t", ""),
            ("Memory", "book-user", "memory", "g y", ""),
            ("Settings", "settings-2", "settings", "g s", ""),
        ],
    ),
]


@dataclass(frozen=True, slots=True)
class NavItem:
    """One line of the navigation. `count` is None where nothing is counted; `due`: it waits for this person."""

    route: str
    label: str
    icon: str
    href: str
    current: bool
    shortcut: str
    tab: str
    count: int | None = None
    due: bool = False


def shell(request: HttpRequest) -> dict[str, Any]:
    """`nav`, `person`, `home_url`, `settings_url` and `sign_out_url`, as `components/_nav.html` wants them."""
    user = getattr(request, "user", None)  # an error page may come before the user is known
    if user is None or not user.is_authenticated:
        return {"home_url": "/"}
    return {
        "nav": [{"title": title, "items": found} for title, items in GROUPS if (found := _items(request, items))],
        "person": {
            "name": str(user),
            "letters": user.letters,
            "role": "administrator" if user.is_administrator else "",
            "kind": "person",
        },
        "home_url": "/",
        "settings_url": reverse("settings"),
        "sign_out_url": reverse("sign-out"),
    }


@require_safe
def nav_counts(request: HttpRequest) -> JsonResponse:
    """What stands beside the names now: `{"approvals": 2, "live": 0}`."""
    items = (item for _title, items in GROUPS for item in _items(request, items))
    return JsonResponse({item.route: item.count for item in items if item.count is not None})


def _items(request: HttpRequest, items: list[tuple[str, str, str, str, str]]) -> list[NavItem]:
    """Those whose page exists."""
    found = []
    for label, icon, route, shortcut, tab in items:
        try:
            href = reverse(route)
        except NoReverseMatch:
            continue
        if route == "live" and not supervises_somewhere(person(request)):
            continue
        if route == "tools" and project_for_new_agents(person(request)) is None:
            continue
        count, is_due = (None, False) if request.headers.get("HX-Request") else _count(request, route)
        found.append(NavItem(route, label, icon, href, _is_current(request.path, href), shortcut, tab, count, is_due))
    return found


def _count(request: HttpRequest, route: str) -> tuple[int | None, bool]:
    """What stands beside the name, and whether that waits for this person."""
    match route:
        case "approvals":
            return open_question_count(person(request)) + len(open_escalations(person(request))), True
        case "live":
            return live_count(person(request)), False
        case _:
            return None, False


def _is_current(path: str, href: str) -> bool:
    """The agents list stands at the root, and everything about one agent under `/agents/`; workflows belong to it."""
    return (
        path == "/" or path.startswith(("/agents/", "/welcome", "/workflows")) if href == "/" else path.startswith(href)
    )
