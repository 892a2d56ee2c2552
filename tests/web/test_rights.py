"""Every route and every socket, asked by everybody."""

import json

import pytest
from asgiref.sync import async_to_sync
from channels.testing import WebsocketCommunicator

from studio.asgi import application
from studio.live.routing import RULES
from studio.rights import Role
from studio.services.messages import ClientEvent, post_event
from studio.services.sharing import share_session
from tests.memories import remembered
from tests.people import browser_of, everybody, person
from tests.project_tools import server_of, tool_of
from tests.sessions import (
    asked_about_pay,
    granted,
    published_agent,
    schedule_of,
    session_of,
    workflow_of,
)
from tests.web.rights_table import DOOR, ELSEWHERE, GROUPS, IN, LINES, PEOPLE, SEES, SOCKETS, Line
from tests.web.routes import all_routes

MADE_FRESH = (
    "agent", "session", "rollout", "approval", "pending", "memory", "workflow", "tool", "source", "trigger", "grant",
)  # fmt: skip


@pytest.fixture
def people(transactional_db):
    return everybody()


class Things:
    """What is asked for: fresh ones once somebody wrote, so that what one person deletes another may still ask for."""

    def __init__(self, people) -> None:
        self._people, self._number, self._spare = people, 0, person("eve").public_id
        self._reader, self.shown_author = person("anna", Role.AUTHOR), person("abel", Role.AUTHOR)
        self.names = self._fresh()

    def asked(self, line: Line, found: str) -> None:
        """A refusal leaves them as they are, and so does whatever names none of them."""
        named = f"{line.path}{line.body}"
        if line.method not in ("GET", "HEAD") and found == IN and any(f"{{{name}}}" in named for name in MADE_FRESH):
            self.names = self._fresh()

    def _fresh(self) -> dict[str, str]:
        self._number += 1
        agent = published_agent(self._people["author"], f"echo-{self._number}")
        session = session_of(self._people["member"], agent)
        rollout = asked_about_pay(session)
        share_session(self._people["member"], session, "abel")
        return {
            "agent": agent.name,
            "session": session.public_id,
            "rollout": rollout.public_id,
            "approval": f"a_{rollout.public_id.removeprefix('r_')}_6",
            "pending": post_event(self._people["member"], session, ClientEvent("user.input", "waits")).id,
            "spare": self._spare,
            "reader": self._reader.public_id,
            "shown": self.shown_author.public_id,
            "member": self._people["member"].public_id,
            "memory": str(remembered(self._people["member"], f"key.{self._number}").pk),
            "workflow": workflow_of(agent).name,
            "tool": tool_of(self._people["author"], f"pay_back_{self._number}").name,
            "source": server_of(self._people["author"], f"shop-{self._number}").public_id,
            "trigger": schedule_of(agent).public_id,
            "grant": granted(rollout, self._people["member"]).public_id,
        }


def filled(text: str, names: dict[str, str]) -> str:
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def outcome(response) -> str:
    leads_to_door = response.headers.get("Location", "").startswith("/sign-in?")
    if response.status_code == 401 or leads_to_door:
        return DOOR
    return str(response.status_code) if response.status_code in (403, 404) or response.status_code >= 500 else IN


def test_every_route_has_a_line():
    listed = {line.route for line in LINES} | set(ELSEWHERE)
    routes = {name for name in all_routes() if not name.startswith("admin:")}

    assert routes - listed == set(), "give each a line in tests/web/rights_table.py"
    assert listed - routes == {"admin:index"}, "these lines name no route"


def test_every_line_is_asked():
    asked = [line for lines in GROUPS.values() for line in lines]

    assert sorted(map(str, asked)) == sorted(map(str, LINES))


def test_every_socket_has_a_line():
    assert RULES.keys() == SOCKETS.keys()


@pytest.mark.parametrize("group", GROUPS)
def test_who_gets_in(people, group):
    things = Things(people)
    wrong = {}
    for word in PEOPLE:
        browser = browser_of(people[word])
        for line in GROUPS[group]:
            names = things.names
            response = ask(browser, line, names)
            things.asked(line, outcome(response))
            found = str(response.status_code) if line.who[word] == str(response.status_code) else outcome(response)
            if found != line.who[word]:
                wrong[word, str(line)] = found
            if SEES[word] != IN and not response.streaming:
                assert names["session"] not in response.content.decode(), f"{word} is told of another's session"
            if line.route == "sign-out":
                browser = browser_of(people[word])

    assert wrong == {}


def test_an_author_who_was_shown_a_session_gets_in_where_a_reviewer_does_and_reads_prompts(people):
    things = Things(people)
    browser = browser_of(things.shown_author)
    prompts = ("amp:rollout-prompt", "session-prompt")
    wrong = {}
    for line in [line for line in LINES if "{session}" in line.path or "{rollout}" in line.path]:
        wanted = IN if line.route in prompts else line.who["reviewer"]
        found = outcome(ask(browser, line, things.names))
        things.asked(line, found)
        if found != wanted:
            wrong[str(line)] = found

    assert wrong == {}


def ask(browser, line: Line, names: dict[str, str]):
    path = filled(line.path, names)
    body = filled(json.dumps(line.body), names) if line.body is not None else ""
    if line.path.startswith("/amp/"):
        return browser.generic(line.method, path, body, content_type="application/json")
    return browser.get(path) if line.method == "GET" else browser.post(path, json.loads(body or "{}"))


@pytest.mark.parametrize("socket", SOCKETS)
def test_who_may_listen(people, socket):
    found = {}
    names = Things(people).names
    for word in PEOPLE:
        cookies = browser_of(people[word]).cookies.output(header="", sep=";").strip()
        found[word] = async_to_sync(listen)(filled(SOCKETS[socket], names), cookies.encode(), b"http://localhost")

    assert found == SEES


@pytest.mark.parametrize("origin", [None, b"http://evil.test", b"http://localhost:9999", b"null"])
def test_a_cookie_from_another_page_opens_no_socket(people, origin):
    names = Things(people).names
    cookies = browser_of(people["member"]).cookies.output(header="", sep=";").strip()

    assert async_to_sync(listen)(filled(SOCKETS["session"], names), cookies.encode(), origin) == DOOR


async def listen(path: str, cookies: bytes, origin: bytes | None) -> str:
    """Open the socket, and tell how it went."""
    headers = [(b"host", b"localhost"), (b"cookie", cookies)]
    if origin is not None:
        headers.append((b"origin", origin))
    socket = WebsocketCommunicator(application, path, headers)
    connected, _ = await socket.connect(timeout=5)
    if not connected:
        return DOOR
    first = await socket.receive_output(timeout=5)
    await socket.disconnect()
    return IN if first["type"] == "websocket.send" else str(first["code"] - 4000)
