"""Model connections: keys go in and never come out, and a test says in words what happened."""

from collections.abc import Iterator
from io import StringIO

import pytest
from asgiref.sync import async_to_sync
from django.core.management import CommandError, call_command
from django.urls import reverse

from runtime.domain.redaction import Redactor
from runtime.ports import ModelError
from runtime.providers.connections import Client, Connection
from studio.errors import NotAllowed, Refused
from studio.models import AuditEntry, ModelConnection
from studio.queries.models import context_window_of, model_connections, model_names
from studio.services.audit import Actor
from studio.services.models import (
    ConnectionFacts,
    add_connection,
    change_connection,
    check_connection,
    remove_connection,
    replace_key,
)
from studio.store.connections import StoredConnections
from tests.model_server import ModelServerProcess, fails, say
from tests.people import administrator, browser_of, person

pytestmark = pytest.mark.django_db(transaction=True)

KEY = "sk-very-secret-1234567890"
GPT = ConnectionFacts("openai/gpt-4.1-mini")
OPERATOR = Actor.terminal()


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServerProcess]:
    with ModelServerProcess() as server:
        yield server


@pytest.fixture
def shop(server: ModelServerProcess) -> ModelConnection:
    """A connection to the scripted server."""
    server.script(say("yes"))
    facts = ConnectionFacts("openai/scripted", server.url, context_window=8000)
    return add_connection(OPERATOR, "shop", facts, key=KEY)


def resolved(model: str) -> Connection:
    return async_to_sync(StoredConnections(Redactor()).resolve)(model, "default")


def test_a_key_is_kept_encrypted_and_comes_out_only_to_be_sent(shop: ModelConnection) -> None:
    assert KEY.encode() not in bytes(shop.encrypted_key)
    assert shop.key_last4 == "7890"
    assert resolved("shop").api_key == KEY
    assert KEY not in repr(resolved("shop"))


def test_only_administrators_add_and_only_they_see_connections(shop: ModelConnection) -> None:
    maya = person("maya")

    with pytest.raises(NotAllowed):
        add_connection(Actor(maya, "here"), "mine", GPT)

    assert list(model_connections(maya)) == []
    assert [row.name for row in model_connections(administrator())] == ["shop"]


def test_the_audit_log_tells_what_was_done_and_no_key(shop: ModelConnection) -> None:
    replace_key(OPERATOR, shop, KEY + "x")
    remove_connection(OPERATOR, shop)

    entries = AuditEntry.objects.filter(subject="shop").order_by("pk")
    assert [entry.action for entry in entries] == [
        "model_connection.added",
        "model_connection.key",
        "model_connection.removed",
    ]
    assert KEY not in str([(entry.before, entry.after) for entry in entries])


@pytest.mark.parametrize(
    ("name", "facts", "key", "sentence"),
    [
        ("a/b", GPT, "", "Name the connection"),
        ("playbook", GPT, "", "Name the connection"),
        ("", GPT, "", "Name the connection"),
        ("ok", ConnectionFacts("gpt-4.1"), "", "provider/model"),
        ("ok", ConnectionFacts("openai/x", "ftp://host"), "", "address"),
        ("ok", ConnectionFacts("openai/x", "http://me:pw@host/v1"), "", "address"),
        ("ok", ConnectionFacts("openai/x", "http://host:99999/v1"), "", "address"),
        ("ok", ConnectionFacts("openai/x", "http://[half"), "", "address"),
        ("ok", ConnectionFacts("openai/x", input_price_usd=-1), "", "prices"),
        ("ok", ConnectionFacts("openai/x", input_price_usd=float("nan")), "", "prices"),
        ("ok", ConnectionFacts("openai/x", client="native"), "", "needs an address"),
        ("ok", ConnectionFacts("openai/x", client="carrier pigeon"), "", "no client named"),
        ("ok", GPT, "two words", "no key"),
        ("ok", GPT, "tab\tkey", "no key"),
    ],
)
def test_what_cannot_be_right_is_refused_in_words(name: str, facts: ConnectionFacts, key: str, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        add_connection(OPERATOR, name, facts, key=key)

    assert not ModelConnection.objects.exists()


def test_a_name_is_given_once(shop: ModelConnection) -> None:
    with pytest.raises(Refused, match="already"):
        add_connection(OPERATOR, "shop", GPT)


def test_a_key_does_not_follow_to_another_address(shop: ModelConnection) -> None:
    elsewhere = ConnectionFacts("openai/scripted", "http://elsewhere.example/v1")

    with pytest.raises(Refused, match="old address"):
        change_connection(OPERATOR, shop, elsewhere)
    change_connection(OPERATOR, shop, elsewhere, key="another-key")

    assert (resolved("shop").api_base, resolved("shop").api_key) == ("http://elsewhere.example/v1", "another-key")


def test_a_model_string_finds_the_key_of_its_provider() -> None:
    add_connection(OPERATOR, "claude", ConnectionFacts("anthropic/claude-sonnet-4", input_price_usd=3), key=KEY)

    found = resolved("anthropic/claude-haiku-4")

    assert (found.litellm_model, found.api_key, found.prices) == ("anthropic/claude-haiku-4", KEY, None)


@pytest.mark.parametrize(
    ("facts", "client"),
    [
        (GPT, Client.LITELLM),
        (ConnectionFacts("openai/scripted", "http://localhost:1/v1"), Client.NATIVE),
        (ConnectionFacts("anthropic/claude-sonnet-4", "http://localhost:1"), Client.LITELLM),
        (ConnectionFacts("openai/scripted", "http://localhost:1/v1", client="litellm"), Client.LITELLM),
        (ConnectionFacts("mistral/small", "http://localhost:1/v1", client="native"), Client.NATIVE),
    ],
)
def test_a_connection_says_which_client_speaks_to_it(facts: ConnectionFacts, client: Client) -> None:
    add_connection(OPERATOR, "shop", facts)

    assert resolved("shop").client is client


def test_a_server_of_ones_own_does_not_stand_in_for_a_provider(shop: ModelConnection) -> None:
    with pytest.raises(ModelError, match="An administrator can add a connection") as caught:
        resolved("openai/gpt-4.1-mini")

    assert caught.value.kind == "authentication"


def test_an_unknown_name_says_who_can_add_it() -> None:
    with pytest.raises(ModelError, match="An administrator can add it") as caught:
        resolved("our-gpt")

    assert caught.value.kind == "not_found"


def test_what_authors_need_is_the_names_and_the_window(shop: ModelConnection) -> None:
    assert model_names() == ["shop"]
    assert context_window_of("shop") == 8000
    assert context_window_of("other") is None


def test_a_test_asks_for_one_token_with_the_key(server: ModelServerProcess, shop: ModelConnection) -> None:
    assert check_connection(OPERATOR, shop) == ""

    request = server.requests[-1]
    assert request["body"]["max_tokens"] == 1
    assert request["headers"]["Authorization"] == f"Bearer {KEY}"
    assert shop.checked_at is not None


def test_a_test_that_fails_keeps_the_reason(server: ModelServerProcess, shop: ModelConnection) -> None:
    server.script(fails(401))

    fault = check_connection(OPERATOR, shop)

    assert "refused the key" in fault
    assert shop.check_result == fault


def test_the_page_adds_tests_edits_and_removes(server: ModelServerProcess) -> None:
    server.script()
    browser = browser_of(administrator())
    entered = {"name": "shop", "litellm_model": "openai/scripted", "address": server.url, "key": KEY}

    added = browser.post(reverse("settings-model-add"), entered, follow=True).content.decode()
    row = ModelConnection.objects.get()
    edit = browser.get(reverse("settings-model", args=[row.public_id])).content.decode()
    server.script(fails(429))
    tested = browser.post(reverse("settings-model-test", args=[row.public_id]), headers={"HX-Request": "true"})
    browser.post(
        reverse("settings-model-change", args=[row.public_id]),
        entered | {"context_window": "4000", "key": "", "client": "litellm"},
    )
    changed = resolved("shop").api_key, context_window_of("shop"), resolved("shop").client
    browser.post(reverse("settings-model-remove", args=[row.public_id]))

    assert "shop answers" in added
    assert KEY not in added + edit
    assert "too many requests" in tested.content.decode()
    assert changed == (KEY, 4000, Client.LITELLM)
    assert not ModelConnection.objects.exists()


def test_the_page_shows_what_was_wrong(server: ModelServerProcess) -> None:
    browser = browser_of(administrator())

    answer = browser.post(reverse("settings-model-add"), {"name": "a b", "litellm_model": "openai/x", "key": KEY})

    assert answer.status_code == 400
    assert "Name the connection" in answer.content.decode()
    assert KEY not in answer.content.decode()


def test_the_command_adds_lists_tests_and_removes(server: ModelServerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_MODEL_KEY", KEY)
    server.script(say("yes"), fails(500))

    call_command("models", "add", "shop", "--model", "openai/scripted", "--address", server.url, stdout=StringIO())
    call_command("models", "test", "shop", stdout=StringIO())
    call_command("models", "list", stdout=(listed := StringIO()))
    with pytest.raises(CommandError, match="trouble on its side"):
        call_command("models", "test", "shop", stdout=StringIO())
    call_command("models", "remove", "shop", stdout=StringIO())

    assert listed.getvalue().split("\t")[:2] == ["shop", "openai/scripted"]
    assert "answered" in listed.getvalue()
    assert KEY not in listed.getvalue()
    assert not ModelConnection.objects.exists()


def test_an_address_that_only_takes_a_post_leads_back_to_its_form(shop: ModelConnection) -> None:
    ada = browser_of(administrator())

    assert ada.get(reverse("settings-model-add")).headers["Location"] == reverse("settings-models")
    assert ada.get(reverse("settings-model-change", args=[shop.public_id])).headers["Location"] == reverse(
        "settings-model", args=[shop.public_id]
    )
