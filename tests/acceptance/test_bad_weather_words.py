"""What people and tools send: kept as it is, cleaned, or refused in words at the door."""

import json
import random

import pytest

from tests.acceptance.weather import Weather, as_text, is_sentence, wait_for
from tests.model_server import call, say

TEXTS = {
    "korean": "안녕하세요, 주문 48213 건입니다. 각 (NFC) 각 (NFD)",
    "emoji": "👩🏽‍💻🙂🇰🇷 \U0001f9d1\u200d\U0001f91d\u200d\U0001f9d1",
    "right-to-left": "שלום עולם مرحبا \u202eevil\u202c \u2067abc\u2069",
    "odd blanks": "a\u2028b\u2029c\x85d\u200be\ufefff\tg\rh",
    "markup": "<script>alert(1)</script> {{ 7*7 }} {% if %} '\" `--",
}
PASTE = "가나다라마바사 아자차카타파하 0123456789\n"
KEYS = "type content to payload urgent agents input metadata action verdict text note".split()  # noqa: SIM905
VALUES = [
    None,
    True,
    -1,
    2**63,
    1e308,
    "",
    "x",
    "*",
    "\x00",
    "\ud800",
    "가" * 500,
    [],
    [[]],
    {},
    {"a": [{"\udfff": 1}]},
]
TYPES = ["user.input", "user.interrupt", "supervisor.instruction", "external.trigger", "tool.result"]
ROUTES = (
    "/sessions",
    "/sessions/{session}/events",
    "/rollouts/{rollout}/control",
    "/approvals/{approval}",
    "/agents/check",
    "/agents/plain-native/publish",
)
RANDOM_BODIES = 1000


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts_of_all_scripts_come_back_code_point_for_code_point(sky: Weather, text: str) -> None:
    agent = sky.agent("plain-native")
    sky.model.script(say(text))

    told = sky.say(agent, text)

    assert told.payloads("user.input")[0]["content"] == text
    assert told.answers == [text]
    assert sky.model.bodies[-1]["messages"][-1]["content"] == f'<message from="admin">{text}</message>'
    assert "<script>alert" not in sky.page(told.session)


def test_a_megabyte_is_pasted_and_read_on_with_a_tool(sky: Weather) -> None:
    agent = sky.agent("tooled-native", more="tools: [calculator, clock]\n")
    paste = PASTE * (1024 * 1024 // len(PASTE.encode()))
    sky.model.script(say("Ready."))
    session = sky.say(agent).session
    sky.model.script()
    accepted = sky.amp.say(session, paste)
    sky.rest(session)
    artifact = f"input-{accepted['id']}"
    sky.model.script(call("read_artifact", {"id": artifact, "offset": len(paste) - 100}), say("Read."))

    sky.amp.say(session, "How does it end?")
    told = sky.rest(session)

    said = told.payloads("user.input")[1]
    assert said["artifact"] == {"id": artifact, "characters": len(paste)}
    assert len(said["content"]) < 20_000
    assert f"of {len(paste)} characters. Read on with read_artifact" in as_text(sky.model.bodies[-1])
    assert told.results == [paste[-100:]]
    assert len(sky.page(session)) < 300_000


def test_an_agent_without_tools_is_told_that_it_cannot_read_on(sky: Weather) -> None:
    agent = sky.agent("plain-native")
    sky.model.script(say("Send me the part that matters."))

    sky.say(agent, PASTE * 5000)

    assert "You have no tools to read on with" in as_text(sky.model.bodies[-1]["messages"])


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b'{"type": "user.input", "content": "a\\u0000b"}', 400, "NUL character"),
        (b'{"type": "user.input", "content": "\\ud83d"}', 400, "half of a character pair"),
        (b'{"type": "user.input", "content": "\xed\xa0\xbd"}', 400, "not UTF-8"),
        (b'{"type": "user.input", "content": "' + b"x" * (2 * 1024 * 1024) + b'"}', 413, "over 2 MiB"),
        (b'{"type": "user.input", "content": "' + b"x" * (3 * 512 * 1024) + b'"}', 413, "over 1 MiB"),
    ],
    ids=["nul", "half", "broken-utf-8", "body-too-large", "message-too-large"],
)
def test_what_cannot_be_kept_is_refused_at_the_door(sky: Weather, body: bytes, status: int, words: str) -> None:
    session = sky.say(sky.agent("echo", "playbook/echo")).session

    answered, problem = sky.amp.call("POST", f"/sessions/{session}/events", body, Content_Type="application/json")

    assert (answered, words in problem["detail"]) == (status, True), problem
    assert is_sentence(problem["detail"])
    assert len(sky.told(session).payloads("user.input")) == 1


@pytest.mark.parametrize(
    ("form", "status", "words"),
    [
        (b"content=a%00b", 400, "NUL character"),
        (b"content=" + b"x" * (2 * 1024 * 1024), 413, "over 2 MiB"),
        (b"&".join(b"%d=x" % number for number in range(1500)), 400, "The form cannot be read."),
    ],
    ids=["nul", "too-large", "too-many-fields"],
)
def test_the_page_refuses_them_too(sky: Weather, form: bytes, status: int, words: str) -> None:
    session = sky.say(sky.agent("echo", "playbook/echo")).session

    answered, page = sky.browsing.post(f"/chat/{session}/say", form)

    assert (answered, words in page) == (status, True), page
    assert len(sky.told(session).payloads("user.input")) == 1


def test_half_a_character_in_a_form_is_replaced(sky: Weather) -> None:
    session = sky.say(sky.agent("echo", "playbook/echo")).session

    sky.browsing.post(f"/chat/{session}/say", b"content=a%ED%A0%BDb%FF")

    assert sky.rest(session).payloads("user.input")[-1]["content"] == "a\ufffd\ufffd\ufffdb\ufffd"


def test_nul_and_half_characters_of_a_tool_are_cleaned(sky: Weather) -> None:
    agent = sky.agent("fetcher", more="tools: [http_get]\n")
    sky.pages["/odd"] = "text/plain; charset=utf-8", b"nul \x00 half \xed\xa0\xbd end"
    sky.pages["/odd.json"] = "application/json", b'{"half": "\\ud83d", "nul": "\\u0000"}'
    wanted = [call("http_get", {"url": f"{sky.site}{path}"}) for path in ("/odd", "/odd.json")]
    sky.model.script(*wanted, say("Odd."))

    told = sky.say(agent)

    assert [payload["status"] for payload in told.payloads("tool.result")] == ["ok", "ok"]
    assert "nul \ufffd half \ufffd" in told.results[0] or "nul \\u0000 half \ufffd" in told.results[0]
    assert told.answers == ["Odd."]
    assert "\x00" not in as_text(sky.model.bodies[-1]["messages"])


def test_a_large_result_of_a_tool_is_read_on(sky: Weather) -> None:
    agent = sky.agent("fetcher", more="tools: [http_get]\n")
    sky.pages["/large"] = "text/plain; charset=utf-8", (PASTE * 8000).encode()
    sky.model.script(
        call("http_get", {"url": f"{sky.site}/large"}),
        call("read_artifact", {"id": "result-0.0", "offset": 100, "limit": 30}),
        say("Long."),
    )

    told = sky.say(agent)

    assert "Read on with read_artifact" in told.results[0]
    assert "characters follow: read on with offset 130" in told.results[1]


def test_a_full_queue_is_said_and_all_that_waits_costs_one_call(sky: Weather) -> None:
    agent = sky.agent("plain-native")
    sky.model.script(say("one two three", hold_after=1), say("All read."))
    session = sky.amp.start(agent, "Go.")["id"]
    sky.model.wait("holding")
    for number in range(200):
        sky.amp.say(session, f"message {number}")

    status, problem = sky.amp.call("POST", f"/sessions/{session}/events", {"type": "user.input", "content": "more"})
    sky.model.release()

    told = sky.rest(session)
    assert status == 429
    assert is_sentence(problem["detail"])
    assert told.answers == ["one two three", "All read."]
    assert "message 199" in as_text(sky.model.bodies[-1]["messages"])


def test_an_agent_whose_connection_is_gone_fails_in_words_and_goes_on_when_it_is_back(sky: Weather) -> None:
    agent = sky.agent("orphan", "passing")
    sky.disconnect("passing")

    told = sky.say(agent)
    sky.connect("passing")
    sky.model.script(say("I am back."))
    sky.amp.say(told.session, "And now?")

    assert told.state == "failed"
    assert "passing" in told.rollout["error"]
    assert is_sentence(told.rollout["error"])
    assert sky.rest(told.session).answers == ["I am back."]


def test_a_draft_that_cannot_run_is_refused_with_its_line(sky: Weather) -> None:
    sky.write("half-written", "name: half-written\nmodel: native\ntools: [nonsense]\n")

    status, problem = sky.amp.call("POST", "/sessions", {"agents": ["half-written"], "draft": True, "input": "Go."})

    assert status == 422
    assert "nonsense" in problem["detail"]
    assert is_sentence(problem["detail"])


def test_a_rollout_that_cannot_be_bound_any_more_fails_in_words(sky: Weather) -> None:
    sky.write("retired", "name: retired\nmodel: playbook/echo\n")
    _, session = sky.amp.call("POST", "/sessions", {"agents": ["retired"], "draft": True, "input": "Go."})
    rollout = sky.rest(session["id"]).rollout["id"]
    owner = "select lease_owner from studio_rollout where public_id = ?"
    wait_for(lambda: sky.database(owner, rollout) == [(None,)], lambda: "somebody owns it")
    text = "name: retired\nmodel: playbook/echo\ntools: [gone]\n"
    sky.database("update studio_rollout set draft_text = ? where public_id = ?", text, rollout)

    sky.amp.say(session["id"], "Still there?")

    told = sky.rest(session["id"])
    assert [event["type"] for event in told.events[-2:]] == ["user.input", "rollout.failed"]
    assert told.rollout["error"].startswith("The agent retired cannot run here: ")
    assert is_sentence(told.rollout["error"])
    assert "gone" in sky.page(session["id"])
    assert sky.browsing.get(f"/rollouts/{rollout}")[0] == 200
    assert sky.amp.call("GET", f"/rollouts/{rollout}/steps/0/prompt")[0] < 500


def test_a_thousand_random_bodies_are_answered_in_words(sky: Weather) -> None:
    told = sky.say(sky.agent("echo", "playbook/echo"))
    sky.agent("plain-native")
    names = {"session": told.session, "rollout": told.rollout["id"], "approval": f"a_{told.rollout['id'][2:]}_3"}
    chance = random.Random(6)
    wrong = []
    for _ in range(RANDOM_BODIES):
        route, body = chance.choice(ROUTES).format(**names), random_body(chance)
        status, answer = sky.amp.call("POST", route, body, Content_Type="application/json")
        if status >= 500 or (status >= 400 and not is_sentence(answer["detail"])):
            wrong.append((route, body, status, answer))

    assert wrong == []


def random_body(chance: random.Random) -> bytes:
    """An object that is nearly right, any JSON, or hardly JSON at all."""
    body = {chance.choice(KEYS): random_value(chance) for _ in range(chance.randrange(5))}
    if chance.random() < 0.6:
        body["type"] = chance.choice(TYPES)
    if chance.random() < 0.3:
        body |= {"agents": ["echo"], "input": "x"}
    data = json.dumps(chance.choice([body, body, body, random_value(chance)])).encode()
    if chance.random() < 0.2:
        place = chance.randrange(len(data) + 1)
        return data[:place] + chance.choice([b"", b"\x00", b"\xff", b"NaN", b'"', b"{", b"1e999"]) + data[place + 1 :]
    return data


def random_value(chance: random.Random, depth: int = 0) -> object:
    if depth < 4 and chance.random() < 0.2:
        inner = [random_value(chance, depth + 1) for _ in range(chance.randrange(4))]
        return inner if chance.random() < 0.5 else {str(chance.choice(KEYS)): value for value in inner}
    return chance.choice([*VALUES, *TYPES, chance.random() * 1e6, chance.randrange(-100, 100)])
