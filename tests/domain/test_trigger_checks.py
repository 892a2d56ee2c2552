"""What is wrong with the triggers of an agent file, in words."""

import pytest

from runtime.domain.agent_file import read_agent_file
from runtime.domain.known import Known
from runtime.domain.trigger_place import value_at

KNOWN = Known(secrets=["ORDERS_HOOK"], playbooks=["echo"], complete=True)


def problems(trigger: str) -> list[tuple[str, str]]:
    file = read_agent_file(f"name: a\nmodel: playbook/echo\ntriggers:\n{trigger}", KNOWN)
    return [(problem.path, problem.message) for problem in file.problems]


@pytest.mark.parametrize(
    ("trigger", "path", "words"),
    [
        ("  - webhook: {name: orders}\n", "webhook.secret", "needs a `secret`"),
        ("  - webhook: {name: orders, secret: ORDER_HOOK}\n", "webhook.secret", "Did you mean `ORDERS_HOOK`?"),
        ("  - webhook: {name: My Orders, secret: ORDERS_HOOK}\n", "webhook.name", "a-z, 0-9 and dashes"),
        ("  - webhook: {name: a, secret: ORDERS_HOOK, dedupe: event_id}\n", "webhook.dedupe", "`body.event_id`"),
        ("  - schedule: {cron: 0 25 * * *}\n", "schedule.cron", "no cron line"),
        ("  - schedule: {cron: 0 9 * * *, timezone: Berlin}\n", "schedule.timezone", "no time zone"),
        ("  - folder: {path: ../secrets}\n", "folder.path", "inside the studio's workspaces"),
        ("  - feed: {url: file:///etc/passwd}\n", "feed.url", "whole address"),
        ("  - feed: {url: https://news.example/rss, every: 5s}\n", "feed.every", "once a minute"),
    ],
)
def test_a_trigger_that_cannot_come_is_an_error_at_its_place(trigger, path, words):
    [(found, message)] = problems(trigger)

    assert found == f"triggers.0.{path}"
    assert words in message
    assert not message.endswith("..")


def test_the_same_trigger_twice_is_an_error_at_the_second():
    line = "  - schedule: {cron: 0 9 * * *}\n"

    assert [path for path, _ in problems(line + line)] == ["triggers.1.schedule"]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("body.id", "7"),
        ("body.customer.name", "Maya"),
        ("body.customer", ""),
        ("body.missing.name", ""),
        ("body.id.deeper", ""),
        ("body.is_new", "true"),
        ("body.none", ""),
        ("", ""),
    ],
)
def test_what_stands_at_a_place(place, value):
    assert value_at({"id": 7, "customer": {"name": "Maya"}, "is_new": True, "none": None}, place) == value
