"""Whatever is sent to the API, it answers in words, and never with a fault of its own."""

import json
import random

import pytest

from tests.api.door import Door
from tests.sessions import asked_about_pay, granted, published_agent, workflow_of
from tests.web.rights_table import AMP, Line

VALUES = [
    None, True, 0, -1, 2**63, 1.5, "", "x", "*", "\x00", "\ud800", "x" * 70_000, "가" * 1000, [], [None], ["echo"] * 30,
    {}, {"type": "x"}, {"a": {"b": [1, {"c": "\udfff"}]}}, "user.input", "external.trigger", "user.interrupt",
]  # fmt: skip
KEYS = [
    "type", "content", "to", "payload", "urgent", "agents", "entry", "title", "input", "metadata", "draft", "archived",
    "action", "reason", "verdict", "result", "text", "note", "id", "__class__", "\x00", "",
]  # fmt: skip
RAW = [
    b"",
    b"null",
    b"{",
    b'{"a"',
    b"\x00",
    b"\xff\xfe",
    b"[" * 5000,
    b'{"a":' * 5000,
    b'{"a": 1e400}',
    b'{"a": -0}',
    b"\xef\xbb\xbf{}",
]
PATHS = ["%00", "..", "%F0%9F%91%8B", "a" * 3000, "-1", "0", "%ED%A0%80", "' OR 1=1 --"]


def bodies(line: Line, names: dict[str, str]) -> list[bytes]:
    """The right body with one field made odd, and objects of odd fields; the same ones in every run."""
    chance = random.Random(str(line))
    right = json.loads(json.dumps(line.body or {}).replace("{agent}", names["agent"]))
    odd = [right | {chance.choice(KEYS): value} for value in VALUES for _ in range(2)]
    odd += [right | {key: value} for key in right for value in VALUES]
    return [json.dumps(body).encode() for body in odd] + RAW


@pytest.fixture
def names(people, session):
    rollout = asked_about_pay(session)
    agent = published_agent(people["author"], "other")
    return {
        "agent": agent.name,
        "session": session.public_id,
        "rollout": rollout.public_id,
        "approval": f"a_{rollout.public_id.removeprefix('r_')}_6",
        "workflow": workflow_of(agent).name,
        "grant": granted(rollout, people["member"]).public_id,
        "reader": people["author"].public_id,
        "shown": people["author"].public_id,
    }


def test_odd_bodies_are_answered_in_words(people, names):
    door = Door(people["admin"])
    for line in AMP:
        if line.method not in ("POST", "PUT", "PATCH"):
            continue
        path = line.path.removeprefix("/amp/v1").format(**names)
        for body in bodies(line, names):
            status, answer = door(line.method, path, body)

            assert status < 500, (str(line), body[:200])
            if status >= 400:
                assert answer["detail"].endswith((".", "}")), (str(line), body[:200], answer)


def test_odd_addresses_are_answered_in_words(people, names):
    door = Door(people["admin"])
    for line in AMP:
        for odd in PATHS:
            odd_names = dict.fromkeys(names, odd)
            path = line.path.removeprefix("/amp/v1").format(**odd_names)

            assert door(line.method, path, line.body)[0] < 500, (str(line), odd)


def test_odd_queries_are_answered_in_words(people, names):
    door = Door(people["admin"])
    for line in AMP:
        if line.method != "GET":
            continue
        path = line.path.removeprefix("/amp/v1").partition("?")[0].format(**names)
        for name in ("after", "limit", "types", "cursor", "q", "state", "agent", "from", "to", "version", "attempt"):
            for odd in (*PATHS, "9" * 30, "-" * 5, "1.5", ""):
                assert door("GET", f"{path}?{name}={odd}")[0] < 500, (path, name, odd)
