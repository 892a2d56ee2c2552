"""A project's own tools: what is refused, who may, what agents and rollouts make of them."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.test import override_settings

from runtime.domain.definition import ToolGrant
from runtime.tools.mcp.listing import ListedTool, sha256_of
from studio import wiring
from studio.errors import NotAllowed, NotFitting, NotThereAny, Refused
from studio.models import AuditEntry, Project, Secret, Tool, ToolSource, User
from studio.queries.known import known_for, registry_of
from studio.queries.tool_users import tool_users
from studio.rights import Role
from studio.services.accounts import default_project
from studio.services.agents import check, create_agent, publish
from studio.services.audit import Actor
from studio.services.secrets import change_secret, remove_secret, store_secret
from studio.services.tool_facts import ToolFacts, facts_of_row
from studio.services.tool_sources import (
    DocumentFacts,
    accept_listing,
    add_document,
    add_program,
    add_server,
    change_document,
    found_tools,
    look_at_server,
    remove_source,
)
from studio.services.tools import add_tool, change_tool, new_try_key, remove_tool, try_tool
from studio.store.tools import note_listing
from tests.people import administrator, person
from tests.tools.orders_service import TOKEN, api
from tests.tools.real_services import http_shop, orders_service

pytestmark = pytest.mark.django_db(transaction=True)

OPERATOR = Actor.terminal()
SCHEMA = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}
FORM = {"method": "POST", "url": "https://shop.example/orders/{order}/refunds"}
REFUND = ToolFacts("Issue a refund", "Pay an order back.", SCHEMA, FORM, approval="always")
AGENT = "name: desk\nmodel: playbook/echo\ntools: [{tools}]\n"


@pytest.fixture
def project() -> Project:
    return default_project()


@pytest.fixture
def author() -> User:
    return person("aron", Role.AUTHOR)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with orders_service() as port:
        yield port


@pytest.fixture
def reachable(port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The authority of the orders service, which this installation may reach."""
    yield from allowed(port, monkeypatch)


def allowed(port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("STUDIO_OUTBOUND_ALLOW", f"127.0.0.1:{port}")
    wiring.running.cache_clear()
    yield f"127.0.0.1:{port}"
    wiring.running.cache_clear()


@pytest.fixture
def orders(project: Project, author: User, reachable: str) -> ToolSource:
    store_secret(OPERATOR, project, "ORDERS", TOKEN, [reachable])
    return add_document(Actor(author, "here"), project, "orders", facts_of(reachable, ["getOrder", "createRefund"]))


def facts_of(authority: str, chosen: list[str]) -> DocumentFacts:
    with override_settings(ROOT_URLCONF="tests.tools.orders_urls"):
        text = json.dumps(api.get_openapi_schema(path_prefix="/api/"))
    auth = {"secret": "ORDERS", "header": "Authorization", "prefix": "Bearer"}
    return DocumentFacts(text, chosen, f"http://{authority}", auth)


def problems(project: Project, tools: str) -> list[str]:
    return [problem.message for problem in check(project, AGENT.replace("{tools}", tools)).problems]


# --------------------------------------------------------------------------------------------------- forms


def test_authors_write_tools_and_members_do_not(project: Project, author: User) -> None:
    row = add_tool(Actor(author, "here"), project, "pay_back", REFUND)

    with pytest.raises(NotAllowed):
        add_tool(Actor(person("mia"), "here"), project, "other", REFUND)

    assert registry_of(project).tool("pay_back").spec.approval.when == "always"
    assert Tool.objects.get().changed_by == author
    assert AuditEntry.objects.filter(action="tool.added", subject=row.name).exists()


@pytest.mark.parametrize(
    ("name", "changes", "sentence"),
    [
        ("read_file", {}, "The name read_file is taken"),
        ("files", {}, "The name files is taken"),
        ("set_timer", {}, "The name set_timer is taken"),
        ("openapi", {}, "The name openapi is taken"),
        ("two words", {}, "Name it with letters"),
        ("x", {"description": " "}, "Say what the tool does"),
        ("x", {"form": {}}, "Say where the tool sends"),
        ("x", {"form": {"url": "https://{order}/"}}, "The host of a URL is fixed"),
        ("x", {"form": {"url": "https://shop.example/", "code": "x"}}, "What is sent cannot be right at code"),
        ("x", {"schema": {"type": "array"}}, "of the type object"),
        ("x", {"schema": {"type": "object", "properties": {"order": {"type": 1}}}}, "broken at properties.order.type"),
        ("x", {"approval": "args.amount >"}, "The condition for asking a person cannot be used"),
        ("x", {"timeout_seconds": 0.0}, "time limit"),
        ("x", {"retries": 11}, "at most 11 times"),
        ("x", {"labels": ("moves_money",)}, "no such label"),
    ],
)  # fmt: skip
def test_what_cannot_be_right_is_refused_in_words(
    project: Project, author: User, name: str, changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(Refused, match=sentence):
        add_tool(Actor(author, "here"), project, name, replace(REFUND, **changes))

    assert not Tool.objects.exists()


def test_a_tool_is_known_to_agent_files_of_its_project_alone(project: Project, author: User) -> None:
    add_tool(OPERATOR, project, "pay_back", REFUND)
    other = Project.objects.create(slug="other", name="Other")

    assert problems(project, "pay_back") == []
    assert any("no tool `pay_back`" in said for said in problems(other, "pay_back"))


@pytest.mark.parametrize(
    ("usual", "wanted", "becomes"),
    [
        ("never", "always", "always"),
        ("always", "never", "always"),
        ("always", "args.order != ''", "always"),
        ("once", "never", "once"),
        ("once", "always", "always"),
        ("args.order == 'x'", "once", "always"),
        ("args.order == 'x'", "never", "args.order == 'x'"),
        ("args.order == 'x'", "args.order == 'y'", "(args.order == 'x') || (args.order == 'y')"),
    ],
)
def test_an_agent_can_be_stricter_than_a_tool_and_not_looser(
    project: Project, usual: str, wanted: str, becomes: str
) -> None:
    add_tool(OPERATOR, project, "pay_back", replace(REFUND, approval=usual, timeout_seconds=30.0, retries=1))
    grant = ToolGrant.model_validate(
        {"name": "pay_back", "approval": wanted, "timeout": 60, "retries": 5, "idempotent": True}
    )

    spec = registry_of(project).grant([grant], root="/")["pay_back"].spec

    assert (spec.approval.when, spec.timeout_seconds, spec.retries, spec.idempotent) == (becomes, 30, 1, False)


def test_a_looser_rule_in_a_file_is_told_to_its_author(project: Project) -> None:
    add_tool(OPERATOR, project, "pay_back", REFUND)

    assert any("Its own rule stays" in said for said in problems(project, "{name: pay_back, approval: never}"))


def test_a_tool_stays_while_a_published_agent_uses_it(project: Project, author: User) -> None:
    actor = Actor(author, "here")
    tool = add_tool(actor, project, "pay_back", REFUND)
    agent = create_agent(actor, project, AGENT.replace("{tools}", "pay_back"))
    drafted = tool_users(project, registry_of(project))["pay_back"]
    publish(actor, agent)

    with pytest.raises(Refused, match="the published agent uses it: desk"):
        remove_tool(actor, tool)
    agent.archived_at = agent.created_at
    agent.save()
    remove_tool(actor, tool)

    assert [(user.name, user.is_published) for user in drafted] == [("desk", False)]
    assert not Tool.objects.exists()
    assert AuditEntry.objects.filter(action="tool.removed").exists()


# ----------------------------------------------------------------------------------------------- documents


def test_the_operations_that_were_chosen_are_tools_and_the_others_are_not(project: Project, orders: ToolSource) -> None:
    rows = {row.name: row for row in orders.tools.all()}

    assert rows.keys() == {"getOrder", "createRefund"}
    assert (rows["getOrder"].access, rows["getOrder"].approval) == ("read", "never")
    assert (rows["createRefund"].access, rows["createRefund"].approval) == ("write", "always")
    assert rows["createRefund"].idempotent
    assert problems(project, "openapi: {spec: orders.yaml, only: [getOrder]}") == []
    assert problems(project, "orders") == []


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("openapi: {spec: order}", "There is no API document `order`. Did you mean `orders`?"),
        ("openapi: {only: [getOrder]}", "Say which API document is meant"),
        ("openapi: {spec: orders, only: [getOrders]}", "`orders` has no tool `getOrders`. Did you mean `getOrder`?"),
        ("openapi: {spec: orders, only: [deleteOrder]}", "`orders` has no tool `deleteOrder`"),
        ("openapi: {spec: orders, auth: {secret: ORDER}}", "There is no secret `ORDER`"),
        ("mcp: {server: shop}", "There is no tool server `shop`"),
    ],
)
def test_what_is_not_there_is_a_problem_with_its_place(
    project: Project, orders: ToolSource, entry: str, sentence: str
) -> None:
    assert any(sentence in said for said in problems(project, entry))


def test_a_try_really_runs_and_shows_no_secret(project: Project, author: User, orders: ToolSource) -> None:
    tool, key = registry_of(project).tool("createRefund"), new_try_key()
    args = {"order_id": "48213", "amount": 75}

    first = try_tool(Actor(author, "here"), project, tool, args, key=key)
    again = try_tool(Actor(author, "here"), project, tool, args, key=key)
    with pytest.raises(NotFitting, match="`amount` is missing"):
        try_tool(Actor(author, "here"), project, tool, {"order_id": "1"}, key=key)
    with pytest.raises(NotAllowed):
        try_tool(Actor(person("mia"), "here"), project, tool, args, key=key)

    assert first.status == "ok"
    assert json.loads(first.content)["refund"]["amount"] == 75
    assert again.content == first.content, "one key is one refund"
    told = [entry.after for entry in AuditEntry.objects.filter(action="tool.tried")]
    assert [entry["status"] for entry in told] == ["ok", "ok"]
    assert TOKEN not in first.content + json.dumps(told)


def test_a_secret_bound_elsewhere_is_not_sent(project: Project, author: User, orders: ToolSource) -> None:
    change_secret(OPERATOR, Secret.objects.get(), value=TOKEN, hosts=["elsewhere.example"])

    outcome = try_tool(OPERATOR, project, registry_of(project).tool("getOrder"), {"order_id": "1"}, key=new_try_key())
    remove_secret(OPERATOR, Secret.objects.get())
    gone = try_tool(OPERATOR, project, registry_of(project).tool("getOrder"), {"order_id": "1"}, key=new_try_key())

    assert "the secret ORDERS may not be sent to 127.0.0.1" in outcome.content
    assert "there is no secret named ORDERS" in gone.content


def test_a_document_that_is_read_again_keeps_what_people_changed(
    project: Project, author: User, orders: ToolSource, reachable: str
) -> None:
    actor = Actor(author, "here")
    row = orders.tools.get(name="createRefund")
    change_tool(actor, row, replace(facts_of_row(row), description="Only after getOrder.", approval="args.amount > 50"))

    change_document(actor, orders, facts_of(reachable, ["createRefund", "deleteOrder"]))

    row.refresh_from_db()
    assert (row.description, row.approval) == ("Only after getOrder.", "args.amount > 50")
    assert set(orders.tools.values_list("name", flat=True)) == {"createRefund", "deleteOrder"}


# ------------------------------------------------------------------------------------------------- servers


def listed(*names: str) -> list[ListedTool]:
    return [ListedTool(name, "", f"Does {name}.", {"type": "object"}) for name in names]


def test_nothing_of_a_server_is_open_before_somebody_accepted_it(
    project: Project, author: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    actor = Actor(author, "here")
    with http_shop() as port:
        for authority in allowed(port, monkeypatch):
            source = add_server(actor, project, "shop", f"http://{authority}/mcp", {})
            source = look_at_server(actor, source)
            seen = sha256_of(found_tools(source))
            before = list(source.tools.all())
            source = accept_listing(actor, source, seen, ["find_order"])
            tool = registry_of(project).tool("find_order")
            outcome = try_tool(actor, project, tool, {"order": "48213"}, key=new_try_key())

    assert before == []
    assert outcome.content == "order 48213 is with the carrier"
    assert [(row.name, row.access, row.approval) for row in source.tools.all()] == [("find_order", "write", "always")]
    assert problems(project, "mcp: {server: shop, only: [find_order]}") == []


def test_a_changed_server_is_closed_until_the_change_is_accepted(project: Project, author: User) -> None:
    actor = Actor(author, "here")
    source = add_server(actor, project, "shop", "https://mcp.example/mcp", {})
    note_listing(source.pk, listed("a", "b"))
    accept_listing(actor, ToolSource.objects.get(), sha256_of(listed("a", "b")), ["a", "b"])

    note_listing(source.pk, listed("a", "c"))
    outcome = try_tool(actor, project, registry_of(project).tool("a"), {}, key=new_try_key())
    warned = problems(project, "mcp: {server: shop}")
    with pytest.raises(NotThereAny, match="says something else of its tools by now"):
        accept_listing(actor, ToolSource.objects.get(), sha256_of(listed("a", "d")), ["a"])
    accept_listing(actor, ToolSource.objects.get(), sha256_of(listed("a", "c")), ["a"])

    assert "so they are closed" in outcome.content
    assert any("are closed" in said for said in warned)
    assert list(source.tools.values_list("name", flat=True)) == ["a"]
    assert known_for(project).sources["mcp", "shop"].is_closed is False
    actions = AuditEntry.objects.filter(subject="shop").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["tool_source.added", "tool_source.accepted", "tool_source.accepted"]


def test_a_server_that_goes_back_to_what_was_accepted_is_open_again(project: Project) -> None:
    source = add_server(OPERATOR, project, "shop", "https://mcp.example/mcp", {})
    note_listing(source.pk, listed("a"))
    accept_listing(OPERATOR, ToolSource.objects.get(), sha256_of(listed("a")), ["a"])

    note_listing(source.pk, listed("b"))
    note_listing(source.pk, listed("a"))

    assert not ToolSource.objects.get().is_changed


def test_a_server_that_cannot_be_reached_says_why(project: Project) -> None:
    source = add_server(OPERATOR, project, "shop", "http://127.0.0.1:9/mcp", {})

    source = look_at_server(OPERATOR, source)

    assert "shop cannot be used now: 127.0.0.1 is not on the public internet" in source.fault


def test_only_an_administrator_says_which_program_is_started(project: Project, author: User) -> None:
    with pytest.raises(NotAllowed):
        add_program(Actor(author, "here"), project, "shop", "/bin/true", [])
    with pytest.raises(Refused, match="whole path"):
        add_program(Actor(administrator(), "here"), project, "shop", "true", [])
    source = add_program(OPERATOR, project, "shop", "/bin/true", [])
    with pytest.raises(NotAllowed):
        remove_source(Actor(author, "here"), source)
    remove_source(OPERATOR, source)

    assert not ToolSource.objects.exists()


def test_names_of_two_servers_do_not_mix(project: Project) -> None:
    same = ["find", "read_file"]
    for name in ("north", "south"):
        source = add_server(OPERATOR, project, name, "https://mcp.example/mcp", {})
        note_listing(source.pk, listed(*same))
        accept_listing(OPERATOR, ToolSource.objects.get(name=name), sha256_of(listed(*same)), same)

    names = set(Tool.objects.values_list("name", flat=True))
    grant = ToolGrant(name="mcp", settings={"server": "south", "only": ["find"]})

    assert names == {"find", "north_read_file", "south_find", "south_read_file"}
    assert registry_of(project).grant([grant], root="/").keys() == {"south_find"}


# ------------------------------------------------------------------------------------------------- secrets


@pytest.mark.parametrize(
    ("name", "value", "hosts", "sentence"),
    [
        ("two words", "x" * 20, [], "Name the secret"),
        ("A", "short", [], "at least 8 characters"),
        ("A", "with a blank in it", [], "at least 8 characters"),
        ("A", "x" * 20, ["https://a.example"], "is no host"),
        ("A", "x" * 20, ["a.example/path"], "is no host"),
        ("A", "x" * 20, ["*"], "is no host"),
        ("A", "x" * 20, ["me@a.example"], "is no host"),
    ],
)
def test_a_secret_that_cannot_be_right_is_refused(
    project: Project, name: str, value: str, hosts: list[str], sentence: str
) -> None:
    with pytest.raises(Refused, match=sentence):
        store_secret(OPERATOR, project, name, value, hosts)


def test_a_secret_is_encrypted_and_follows_to_no_other_host(project: Project, author: User) -> None:
    with pytest.raises(NotAllowed):
        store_secret(Actor(author, "here"), project, "KEY", "sk-1234567890", ["a.example"])
    secret = store_secret(OPERATOR, project, "KEY", "sk-1234567890", ["A.example:443", "b.example:8443"])
    with pytest.raises(Refused, match="Enter it again together with a new host"):
        change_secret(OPERATOR, secret, hosts=["c.example"])
    change_secret(OPERATOR, secret, hosts=["a.example"])

    assert b"sk-1234567890" not in bytes(secret.encrypted_value)
    assert secret.hosts == ["a.example", "b.example:8443"]
    assert "sk-1234567890" not in str(list(AuditEntry.objects.values_list("before", "after")))
