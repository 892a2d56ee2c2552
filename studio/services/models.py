"""Model connections: what an administrator says about where a model is reached, and with which key."""

import re
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import async_to_sync
from django.db import transaction
from django.utils import timezone

from runtime.ports import ModelError, ModelRequest
from runtime.providers.connected import ConnectedModel
from runtime.providers.connections import Client, usual_client
from studio.errors import Refused
from studio.models import ModelConnection
from studio.services.audit import Actor, record
from studio.store.connections import StoredConnections, keyring
from studio.wiring import running

ACTION = "change model connections"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MODEL = re.compile(r"[^\s/]+(/[^\s/]+)+")
KEY = re.compile(r"[!-~]{1,2000}")
RESERVED = "playbook"
LAST4_FROM = 12  # the end of a shorter key would tell too much of it
TEST_SECONDS = 20.0
TEST_QUESTION = [{"role": "user", "content": "Say yes."}]
RESULT_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class ConnectionFacts:
    """What is known of a model besides its key. Prices are US dollars for a million tokens; None = unknown.

    `client` is `native`, `litellm`, or empty for what usually fits.
    """

    litellm_model: str
    address: str = ""
    context_window: int | None = None
    input_price_usd: float | None = None
    output_price_usd: float | None = None
    client: str = ""

    def told(self) -> dict[str, Any]:
        """For the audit log."""
        return {
            "model": self.litellm_model,
            "address": self.address,
            "context_window": self.context_window,
            "input_price_usd": self.input_price_usd,
            "output_price_usd": self.output_price_usd,
            "client": self.client,
        }


@transaction.atomic
def add_connection(actor: Actor, name: str, facts: ConnectionFacts, *, key: str = "") -> ModelConnection:
    """A new connection, not tested yet. Raises NotAllowed, or Refused for a fact that cannot be right."""
    actor.must_administer(ACTION)
    if not NAME.fullmatch(name) or name == RESERVED:
        raise Refused(
            "Name the connection with letters, digits, dots, dashes and underscores, such as our-gpt; agents use it."
        )
    if ModelConnection.objects.filter(name=name).exists():
        raise Refused(f"There is a model connection named {name} already. Choose another name, or edit that one.")
    row = ModelConnection(name=name, created_by=actor.user)
    _write(row, facts)
    _write_key(row, key)
    row.save()
    record(actor, "model_connection.added", name, after=facts_of(row).told() | {"has_key": bool(key)})
    return row


@transaction.atomic
def change_connection(actor: Actor, connection: ModelConnection, facts: ConnectionFacts, *, key: str = "") -> None:
    """Other facts. A key stays only with the address that it was entered for. Raises NotAllowed or Refused."""
    actor.must_administer(ACTION)
    row = ModelConnection.objects.select_for_update().get(pk=connection.pk)
    before = facts_of(row)
    if row.encrypted_key and not key and _place(before) != _place(facts):
        raise Refused("The key was entered for the old address or provider. Enter it again together with the new one.")
    _write(row, facts)
    if key:
        _write_key(row, key)
    row.checked_at, row.check_result = None, ""
    row.save()
    after = facts_of(row).told() | ({"key": "replaced"} if key else {})
    record(actor, "model_connection.changed", row.name, before=before.told(), after=after)


@transaction.atomic
def replace_key(actor: Actor, connection: ModelConnection, key: str) -> None:
    """Another key; an empty one takes it away. Raises NotAllowed, or Refused for text that is no key."""
    actor.must_administer(ACTION)
    row = ModelConnection.objects.select_for_update().get(pk=connection.pk)
    had_key = bool(row.encrypted_key)
    _write_key(row, key)
    row.checked_at, row.check_result = None, ""
    row.save()
    record(actor, "model_connection.key", row.name, before={"has_key": had_key}, after={"has_key": bool(key)})


@transaction.atomic
def remove_connection(actor: Actor, connection: ModelConnection) -> None:
    """Takes it away with its key; agents that name it fail from their next step on. Raises NotAllowed."""
    actor.must_administer(ACTION)
    record(actor, "model_connection.removed", connection.name, before=facts_of(connection).told())
    ModelConnection.objects.filter(pk=connection.pk).delete()


def check_connection(actor: Actor, connection: ModelConnection) -> str:
    """Asks the model for one token and keeps what came of it: empty if it answered, else what went wrong.

    Takes up to 20 s, and holds no transaction meanwhile. Raises NotAllowed.
    """
    actor.must_administer("test model connections")
    fault = async_to_sync(_ask)(connection.name)[:RESULT_CHARACTERS]
    ModelConnection.objects.filter(pk=connection.pk).update(checked_at=timezone.now(), check_result=fault)
    record(actor, "model_connection.tested", connection.name, after={"fault": fault})
    connection.refresh_from_db()
    return fault


def facts_of(connection: ModelConnection) -> ConnectionFacts:
    """What is known of a stored connection."""
    return ConnectionFacts(
        connection.litellm_model,
        connection.address,
        connection.context_window,
        connection.input_price_usd,
        connection.output_price_usd,
        connection.client,
    )


async def _ask(name: str) -> str:
    settings = {"max_tokens": 1, "timeout_seconds": TEST_SECONDS}
    request = ModelRequest(name, TEST_QUESTION, settings=settings)
    began, model = time.monotonic(), ConnectedModel(StoredConnections(running().redactor))
    try:
        async for _ in model.stream(request):
            if time.monotonic() - began > TEST_SECONDS:
                return "It answers, but slower than a word in 20 seconds."
    except ModelError as error:
        return error.sentence
    finally:
        await model.close()
    return ""


def _write(row: ModelConnection, facts: ConnectionFacts) -> None:
    if not MODEL.fullmatch(facts.litellm_model) or len(facts.litellm_model) > 200:
        raise Refused(
            "Write the model as provider/model, such as anthropic/claude-sonnet-4; for a server of your own that "
            "speaks like OpenAI's, as openai/ and the name that it has there."
        )
    if facts.address and not _is_address(facts.address):
        raise Refused(
            "Write the address with http:// or https:// and without a name, a password or a question mark, such as "
            "http://localhost:11434/v1."
        )
    for number in (facts.context_window, facts.input_price_usd, facts.output_price_usd):
        if number is not None and not 0 <= number < 1e9:
            raise Refused("The context window and the prices are numbers from 0 on.")
    client = facts.client or usual_client(facts.litellm_model, facts.address)
    if client not in tuple(Client):
        raise Refused(f"There is no client named {client}. Choose native for OpenAI's protocol, or litellm.")
    if client == Client.NATIVE and not facts.address:
        raise Refused(
            "A model that is spoken to directly needs an address, such as https://api.openai.com/v1. Enter it, or "
            "choose LiteLLM."
        )
    row.client = client
    row.litellm_model, row.address = facts.litellm_model, facts.address.rstrip("/")
    row.context_window = facts.context_window
    row.input_price_usd, row.output_price_usd = facts.input_price_usd, facts.output_price_usd


def _write_key(row: ModelConnection, key: str) -> None:
    if key and not KEY.fullmatch(key):
        raise Refused("That is no key: it has blanks or special characters in it. Copy it again from the provider.")
    row.encrypted_key = keyring().encrypt(key.encode()) if key else b""
    running().redactor.learn(key)
    row.key_last4 = key[-4:] if len(key) >= LAST4_FROM else ""


def _is_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    is_plain = not (parts.username or parts.password or parts.query or parts.fragment) and address.isprintable()
    return parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0 and is_plain and " " not in address


def _place(facts: ConnectionFacts) -> tuple[str, str]:
    """Where a key is sent to: the provider, and the address without its path."""
    parts = urlsplit(facts.address)
    return facts.litellm_model.partition("/")[0], f"{parts.scheme}://{parts.netloc}".lower()
