"""The triggers of an agent file: each can be told from the others, can come, and names what exists."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress

from runtime.domain.cron import check_cron
from runtime.domain.findings import Findings
from runtime.domain.known import Known
from runtime.domain.quantity import read_seconds
from runtime.domain.recurrence import TimeProblem, check_zone
from runtime.domain.spelling import did_you_mean
from runtime.domain.trigger_place import is_place
from runtime.domain.yaml_node import MappingNode, Node, ScalarNode, SequenceNode, child, plain_value

NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")
SHORTEST_SECONDS = 60
URL = re.compile(r"https?://[^/\s]+\S*")
_TELLS_APART = {
    "webhook": ("name",),
    "schedule": ("cron", "timezone"),
    "folder": ("path", "pattern"),
    "feed": ("url",),
}


def check_triggers(root: MappingNode, known: Known, findings: Findings) -> None:
    """Errors for what cannot come, names what does not exist, or stands twice."""
    seen: set[tuple[str, ...]] = set()
    for kind, trigger in _triggers(root):
        match kind.text:
            case "webhook":
                _check_webhook(trigger, known, findings)
            case "schedule":
                _check_schedule(trigger, findings)
            case "folder":
                _check_folder(trigger, findings)
            case "feed":
                _check_feed(trigger, findings)
        key = (kind.text, *(_text(trigger, name) for name in _TELLS_APART.get(kind.text, ())))
        if key in seen and len(key) > 1:
            findings.error(kind, f"This {kind.text} stands here twice. Remove one of them.")
        seen.add(key)


def _triggers(root: MappingNode) -> Iterator[tuple[ScalarNode, MappingNode]]:
    listed = root.get("triggers")
    for item in listed.items if isinstance(listed, SequenceNode) else ():
        for entry in item.entries if isinstance(item, MappingNode) else ():
            if isinstance(entry.value, MappingNode):
                yield entry.key, entry.value


def _check_webhook(webhook: MappingNode, known: Known, findings: Findings) -> None:
    name, secret = webhook.get("name"), webhook.get("secret")
    if isinstance(name, ScalarNode) and not NAME.fullmatch(name.text):
        findings.error(
            name, "Name a webhook with a-z, 0-9 and dashes, such as order-events: it is a part of its address."
        )
    if secret is None:
        findings.missing(
            webhook,
            "secret",
            "A webhook needs a `secret`, by which it knows who calls. Write the name of a stored secret, such as "
            "`secret: ORDERS_HOOK`.",
        )
    elif isinstance(secret, ScalarNode) and known.complete and secret.text not in known.secrets:
        meant = did_you_mean(secret.text, known.secrets) or " An administrator can store it under Settings, Secrets."
        findings.error(secret, f"There is no secret `{secret.text[:60]}`.{meant}")
    for key in ("dedupe", "session_by", "user_by"):
        place = webhook.get(key)
        if isinstance(place, ScalarNode) and isinstance(place.value, str) and not is_place(place.text):
            findings.error(place, f"`{key}` names a place in what is sent, such as `body.event_id`.")


def _check_schedule(schedule: MappingNode, findings: Findings) -> None:
    cron, zone = schedule.get("cron"), schedule.get("timezone")
    if isinstance(cron, ScalarNode):
        _report_time(cron, findings, check_cron)
    if isinstance(zone, ScalarNode):
        _report_time(zone, findings, check_zone)


def _report_time(node: ScalarNode, findings: Findings, check: Callable[[str], None]) -> None:
    try:
        check(node.text)
    except TimeProblem as problem:
        findings.error(node, str(problem).rstrip(".") + ".")


def _check_folder(folder: MappingNode, findings: Findings) -> None:
    path = folder.get("path")
    if isinstance(path, ScalarNode) and (path.text.startswith(("/", "~")) or ".." in path.text.split("/")):
        findings.error(path, "Name a folder inside the studio's workspaces, such as `inbox`.")


def _check_feed(feed: MappingNode, findings: Findings) -> None:
    url = feed.get("url")
    if isinstance(url, ScalarNode) and not URL.fullmatch(url.text):
        findings.error(url, "Write the feed's whole address, such as `https://news.example/rss`.")
    every = feed.get("every")
    with suppress(ValueError):
        seconds = read_seconds(plain_value(every)) if every is not None else None
        if every is not None and isinstance(seconds, int | float) and 0 < seconds < SHORTEST_SECONDS:
            findings.error(every, "A feed is looked at once a minute at the most. Write `1m` or more.")


def _text(node: Node, name: str) -> str:
    found = child(node, name)
    return found.text if isinstance(found, ScalarNode) else ""
