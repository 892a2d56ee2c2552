"""The world outside: agents with triggers, and who sends to them."""

import itertools
import json
import time
from typing import Any

from django.test import Client

from studio.models import Agent, Event, PendingEvent, Trigger, User
from studio.services.agents import create_agent, publish
from studio.services.audit import Actor
from studio.services.webhook_signature import sign
from studio.store import pending_events

SECRET = "a-secret-of-the-order-system"
WEBHOOK = "  - webhook: {name: orders, secret: ORDERS_HOOK, dedupe: body.event_id, session_by: body.customer.id}\n"
_numbers = itertools.count(1)


def agent_with_triggers(author: User, triggers: str, name: str = "clerk") -> Agent:
    """A published agent of the author's project with these lines under `triggers`."""
    text = f"name: {name}\nmodel: playbook/echo\nsystem_prompt: You are helpful.\ntriggers:\n{triggers}"
    agent = create_agent(Actor(author, "test"), author.memberships.get().project, text)
    publish(Actor(author, "test"), agent)
    return agent


def trigger_of(agent: Agent) -> Trigger:
    """Its one trigger, with what services want beside it."""
    return Trigger.objects.select_related("agent__project").get(agent=agent)


class Sender:
    """A system that sends to a webhook, without a cookie."""

    def __init__(self, trigger: Trigger, secret: str = SECRET) -> None:
        self.path, self.secret = f"/hooks/{trigger.public_id}/{trigger.name}", secret
        self.client = Client(SERVER_NAME="localhost", enforce_csrf_checks=True)

    def __call__(self, body: Any, sender_id: str = "", *, late: int = 0, **changed: str) -> tuple[int, Any]:
        """Status and answer; `body` as JSON, or bytes as they are; signed `late` seconds ago."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        signed = sign(self.secret, sender_id or f"d_{next(_numbers)}", int(time.time()) - late, data)
        headers = {
            "Webhook-Id": signed.id,
            "Webhook-Timestamp": signed.timestamp,
            "Webhook-Signature": signed.signature,
        } | {name.replace("_", "-"): value for name, value in changed.items()}
        response = self.client.generic("POST", self.path, data, content_type="application/json", headers=headers)
        return response.status_code, response.json()


def waiting() -> list[Any]:
    """The payloads that wait for agents, in order of arrival."""
    rows = PendingEvent.objects.order_by("order").values_list("rollout_id", flat=True)
    found = [item.payload for pk in dict.fromkeys(rows) for item in pending_events(pk)]
    assert Event.objects.exclude(seq=1).count() == 0, "nothing runs here"
    return found
