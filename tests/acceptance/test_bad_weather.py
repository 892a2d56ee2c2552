"""Whatever a model or its server does: a defined state, a plain sentence, and the studio goes on."""

import json
from html import unescape

import pytest

from tests.acceptance.weather import CLIENTS, Weather, as_text, is_sentence
from tests.model_server import Reply, call, calls, cut, fails, say, silence
from tests.server import free_port

TOO_LONG = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
BAD_SCHEMA = "Invalid schema for function 'calculate': In context=('properties', 'expression'), array has no items."
CALCULATOR = "tools: [calculator, clock]\n"

both_clients = pytest.mark.parametrize("client", CLIENTS)


@both_clients
@pytest.mark.parametrize(
    ("weather", "words"),
    [
        (fails(401), "refused the key"),
        (fails(404), "does not know"),
        (fails(400, TOO_LONG), "longer than"),
        (fails(400, "blocked", error_code="content_filter"), "refused to answer"),
    ],
)
def test_what_cannot_be_asked_again_fails_in_plain_words(sky: Weather, client: str, weather: Reply, words: str) -> None:
    agent = sky.agent(f"plain-{client}", client)
    sky.model.script(weather)

    told = sky.say(agent)

    assert told.state == "failed"
    assert words in told.rollout["error"]
    assert is_sentence(told.rollout["error"])
    assert told.rollout["error"] in unescape(sky.page(told.session))


@both_clients
@pytest.mark.parametrize(
    "weather",
    [cut("half an ans"), cut("half an ans", "end"), fails(429, retry_after="0"), fails(500)],
    ids=["cut-in-a-character", "cut-without-end", "too-many-requests", "overloaded"],
)
def test_a_passing_cloud_is_waited_for(sky: Weather, client: str, weather: Reply) -> None:
    agent = sky.agent(f"plain-{client}", client)
    sky.model.script(weather, say("Here I am."))

    told = sky.say(agent)

    assert (told.state, told.answers) == ("waiting input", ["Here I am."])
    assert len(told.errors) == 1
    assert is_sentence(told.errors[0])


@both_clients
def test_silence_ends_and_is_asked_again(sky: Weather, client: str) -> None:
    agent = sky.agent(f"hasty-{client}", client, "model_settings: {timeout: 2}\n")
    sky.model.script(silence(), say("I was thinking."))

    told = sky.say(agent)

    assert told.answers[-1] == "I was thinking."
    assert "did not answer in time" in told.errors[0]


def test_three_failures_are_waited_for_longer_and_longer(sky: Weather) -> None:
    agent = sky.agent("plain-native")
    sky.model.script(fails(500), fails(503), fails(500), say("At last."))

    told = sky.say(agent)

    assert (told.state, told.answers, len(told.errors)) == ("waiting input", ["At last."], 3)


def test_a_long_wish_to_wait_goes_to_the_fallback_model(sky: Weather) -> None:
    sky.connect("spare")
    agent = sky.agent("patient", more="fallback_models: [spare]\n")
    sky.model.script(fails(429, retry_after="3600"), say("From the other one."))

    told = sky.say(agent)

    assert told.answers == ["From the other one."]
    assert [payload["model"] for payload in told.payloads("step.started")] == ["native", "spare"]


def test_a_server_that_is_not_there_is_waited_for_until_somebody_cancels(sky: Weather) -> None:
    sky.connect("gone", f"http://127.0.0.1:{free_port()}/v1")

    told = sky.say(sky.agent("nobody", "gone"), until="waiting model")
    assert "cannot be reached" in told.errors[0]
    assert is_sentence(told.errors[0])
    assert told.rollout["waiting_until"]

    sky.amp.call("POST", f"/rollouts/{told.rollout['id']}/control", {"action": "cancel"})

    assert sky.rest(told.session).state == "cancelled"


def test_a_message_to_a_failed_agent_goes_on_at_its_step(sky: Weather) -> None:
    agent = sky.agent("plain-native")
    sky.model.script(fails(401), say("It works again."))
    told = sky.say(agent)

    sky.amp.say(told.session, "The key is new.")

    told = sky.rest(told.session)
    assert (told.state, told.answers) == ("waiting input", ["It works again."])
    assert [event["step"] for event in told.events if event["type"] == "step.started"] == [0, 0]


@both_clients
def test_a_refused_schema_names_tool_and_field_and_the_other_tools_go_on(sky: Weather, client: str) -> None:
    agent = sky.agent(f"tooled-{client}", client, CALCULATOR)
    sky.model.script(fails(400, BAD_SCHEMA), say("Without it, then."))

    told = sky.say(agent)

    (aborted,) = told.payloads("step.aborted")
    assert (aborted["tool"], aborted["field"]) == ("calculate", "expression")
    assert "tool 'calculate', field 'expression'" in aborted["error"]
    assert told.answers == ["Without it, then."]
    assert "calculate" not in as_text(sky.model.bodies[-1]["tools"])
    assert "current_time" in as_text(sky.model.bodies[-1]["tools"])


def test_an_empty_answer_is_asked_for_once_more_and_then_reported(sky: Weather) -> None:
    agent = sky.agent("plain-native")
    sky.model.script(say(""), say("  "), otherwise=say("never asked for"))

    told = sky.say(agent)

    assert told.answers == ["The model gave no answer. It was asked twice. Send a message to go on."]
    assert told.state == "waiting input"
    assert [payload["finish_reason"] for payload in told.payloads("step.completed")] == ["empty", "empty"]


@both_clients
@pytest.mark.parametrize(
    ("reason", "ours", "shown"),
    [
        ("content_filter", "refusal", "The model refused to answer."),
        ("length", "length", "The answer stopped at the longest length that the model may give."),
    ],
)
def test_an_answer_that_was_ended_early_is_shown_as_such(
    sky: Weather, client: str, reason: str, ours: str, shown: str
) -> None:
    agent = sky.agent(f"plain-{client}", client)
    sky.model.script(say("I would rather", finish_reason=reason))

    told = sky.say(agent)

    assert (told.state, told.answers) == ("waiting input", ["I would rather"])
    assert told.payloads("step.completed")[0]["finish_reason"] == ours
    assert shown in sky.page(told.session)


def test_a_refusal_without_a_word_is_reported_and_not_asked_again(sky: Weather) -> None:
    agent = sky.agent("plain-native")
    sky.model.script(say("", finish_reason="content_filter"), otherwise=say("never asked for"))

    told = sky.say(agent)

    assert told.answers == ["The model refused to answer, and said no more. Ask in other words."]
    assert told.state == "waiting input"


@both_clients
def test_broken_arguments_are_quoted_to_the_model(sky: Weather, client: str) -> None:
    agent = sky.agent(f"tooled-{client}", client, CALCULATOR)
    sky.model.script(call("calculate", '{"expression": "1+'), say("Sorry."))

    told = sky.say(agent)

    assert told.answers == ["Sorry."]
    assert told.payloads("tool.request")[0]["args_raw"] == '{"expression": "1+'
    assert 'You wrote: {"expression": "1+' in told.results[0]
    assert sky.model.bodies[-1]["messages"][-2]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_an_unknown_tool_is_answered_with_the_known_ones(sky: Weather) -> None:
    agent = sky.agent("tooled-native", more=CALCULATOR)
    sky.model.script(call("launch_rocket"), call(""), say("I have no rocket."))

    told = sky.say(agent)

    assert told.results[0].startswith("there is no tool named launch_rocket. Your tools: calculate, current_time")
    assert told.answers == ["I have no rocket."]


@both_clients
def test_calls_with_one_id_are_two_calls(sky: Weather, client: str) -> None:
    agent = sky.agent(f"tooled-{client}", client, CALCULATOR)
    one, two = {"expression": "1+1"}, {"expression": "2+2"}
    sky.model.script(calls(("calculate", one, "same"), ("calculate", two, "same")), say("2 and 4."))

    told = sky.say(agent)

    shown = sky.model.bodies[-1]["messages"]
    ids = [one["id"] for one in shown[-3]["tool_calls"]]
    assert len(set(ids)) == 2
    assert ids == [message["tool_call_id"] for message in shown[-2:]]
    assert sorted(told.results) == ["2", "4"]


def test_two_hundred_calls_in_one_answer_are_limited_and_the_model_is_told(sky: Weather) -> None:
    agent = sky.agent("tooled-native", more=CALCULATOR)
    sky.model.script(calls(*[("calculate", {"expression": f"{number}+1"}) for number in range(200)]), say("Enough."))

    told = sky.say(agent)

    statuses = [payload["status"] for payload in told.payloads("tool.result")]
    assert (statuses.count("ok"), statuses.count("limit")) == (10, 118)
    (last,) = [payload for payload in told.payloads("tool.result") if payload["call_id"] == "0.127"]
    assert "This one and 72 after it were left out" in last["content"]
    assert sky.model.bodies[-1]["tool_choice"] == "none"
    assert told.answers == ["Enough."]


@both_clients
def test_half_characters_and_nul_of_a_model_are_cleaned(sky: Weather, client: str) -> None:
    agent = sky.agent(f"tooled-{client}", client, CALCULATOR)
    nul_and_half = call("calculate", '{"expression": "1+1\\u0000\\ud83d"}', text="a\x00b \ud83d c")
    sky.model.script(nul_and_half, say("Done."))

    told = sky.say(agent)

    assert told.answers == ["a\ufffdb \ufffd c", "Done."]
    assert told.payloads("tool.request")[0]["args"] == {"expression": "1+1\ufffd\ufffd"}


@both_clients
def test_a_character_that_is_cut_between_two_chunks_is_put_together(sky: Weather, client: str) -> None:
    agent = sky.agent(f"plain-{client}", client)
    smile = "🙂".encode("utf-16-be", "surrogatepass")
    halves = [smile[:2].decode("utf-16-be", "surrogatepass"), smile[2:].decode("utf-16-be", "surrogatepass")]
    sky.model.script(Reply(raw=stream("Hi ", *halves, " there", halves[0])))

    told = sky.say(agent)

    assert told.answers == ["Hi 🙂 there\ufffd"]


@both_clients
def test_characters_that_are_split_on_the_wire_are_whole(sky: Weather, client: str) -> None:
    agent = sky.agent(f"plain-{client}", client)
    text = "한국어 🙂 👩🏽‍💻 שלום עולם \u202eabc\u202c é é"
    sky.model.script(say(text, split_bytes=1))

    told = sky.say(agent, text)

    assert told.answers == [text]
    assert text in as_text(sky.model.bodies[-1]["messages"])


def test_a_page_instead_of_an_answer_is_called_so(sky: Weather) -> None:
    agent = sky.agent("plain-native")
    sky.model.script(Reply(raw="<html>Welcome</html>", raw_type="text/html"))

    told = sky.say(agent)

    assert told.state == "failed"
    assert "does not speak OpenAI's protocol" in told.rollout["error"]


def stream(*texts: str) -> str:
    """A stream of these pieces, each in a chunk of its own."""
    chunks = [{"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]} for text in texts]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    more = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    return "".join(f"data: {json.dumps(more | chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
