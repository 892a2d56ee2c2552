"""A tool written as a form: every argument stays in its place, and a secret goes to its host alone."""

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from runtime.domain.tool import Access
from runtime.ports import NothingDone, ToolFailed
from runtime.tools.http_form.body_template import filled_body
from runtime.tools.http_form.errors import FormRefused
from runtime.tools.http_form.form import HttpForm
from runtime.tools.http_form.url_template import filled_url
from runtime.tools.outbound.client import GuardedClient
from runtime.tools.outbound.target import read_url
from tests.tools.calling import seconds_to_stop
from tests.tools.forms import BoundSecrets, desk_of
from tests.tools.web import client_for, serving

TEMPLATE = "https://shop.example/orders/{order}/items?fields={fields}&page=1"


async def echo(request: web.Request) -> web.Response:
    return web.json_response({"data": {"orders": [{"id": 7}], "said": await request.text()}})


# --------------------------------------------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("order", "path"),
    [
        ("48213", "/orders/48213/items"),
        ("a/b", "/orders/a%2Fb/items"),
        ("../admin", "/orders/..%2Fadmin/items"),
        ("x?y=1#z", "/orders/x%3Fy%3D1%23z/items"),
        ("50%", "/orders/50%25/items"),
        ("a b", "/orders/a%20b/items"),
        ("Bär🪵", "/orders/B%C3%A4r%F0%9F%AA%B5/items"),
        ("{fields}", "/orders/%7Bfields%7D/items"),
        ("@evil.example", "/orders/%40evil.example/items"),
        ("\r\nHost: x", "/orders/%0D%0AHost%3A%20x/items"),
        (48213, "/orders/48213/items"),
    ],
)
def test_an_argument_stays_in_its_segment_of_the_path(order: object, path: str):
    target = read_url(filled_url(TEMPLATE, {"order": order, "fields": "id"}, {}))

    assert (target.host, target.path, target.query) == ("shop.example", path, "fields=id&page=1")


@pytest.mark.parametrize("order", ["", ".", "..", None])
def test_an_argument_that_would_change_the_path_is_refused_in_words(order: object):
    with pytest.raises(ToolFailed, match="`order` must name something") as failed:
        filled_url(TEMPLATE, {"order": order, "fields": "id"}, {})

    assert not failed.value.retryable


@pytest.mark.parametrize(
    ("fields", "query"),
    [
        ("id&admin=1", "fields=id%26admin%3D1&page=1"),
        ("#x", "fields=%23x&page=1"),
        ("a+b c", "fields=a%2Bb%20c&page=1"),
        (True, "fields=true&page=1"),
        (1.5, "fields=1.5&page=1"),
        (["id", "a&b"], "fields=id&fields=a%26b&page=1"),
        ([], "page=1"),
        (None, "page=1"),
        ({"a": 1}, "fields=%7B%22a%22%3A1%7D&page=1"),
    ],
)
def test_an_argument_stays_in_its_value_of_the_query(fields: object, query: str):
    assert read_url(filled_url(TEMPLATE, {"order": "7", "fields": fields}, {})).query == query


@given(order=st.text(min_size=1), fields=st.text())
def test_no_text_leaves_its_place(order: str, fields: str):
    try:
        url = filled_url(TEMPLATE, {"order": order, "fields": fields}, {})
    except ToolFailed:
        return
    head, _, rest = url.partition("/orders/")
    segment, _, tail = rest.partition("/items?fields=")

    assert head == "https://shop.example"
    assert not set(segment + tail.removesuffix("&page=1")) & set("/?#&=\\@ ")


@pytest.mark.parametrize(
    ("template", "args", "body"),
    [
        ({"amount": "{amount}"}, {"amount": 75}, {"amount": 75}),
        ({"lines": "{lines}"}, {"lines": [{"a": None}]}, {"lines": [{"a": None}]}),
        ({"note": "{n}: {why}"}, {"n": 7, "why": '", "admin": "yes'}, {"note": '7: ", "admin": "yes'}),
        ({"a": "{a}", "b": {"c": "{c}"}}, {"a": 1}, {"a": 1, "b": {}}),
        (["{a}", "{b}", 3], {"b": "x"}, ["x", 3]),
        ({"a": "{a}"}, {"a": "{b}", "b": "secret"}, {"a": "{b}"}),
        ({"kind": "refund", "{a}": 1}, {"a": "x"}, {"kind": "refund", "{a}": 1}),
        ("{a}", {"a": {"whole": True}}, {"whole": True}),
        ("{a}", {}, None),
    ],
)  # fmt: skip
def test_an_argument_stands_in_the_body_as_the_data_that_it_is(template: object, args: dict[str, Any], body: object):
    assert filled_body(template, args) == body


# ------------------------------------------------------------------------------------------------- what is sent


async def test_a_call_sends_what_the_form_says_and_gives_the_part_of_the_answer():
    async with serving(echo) as site:
        form = HttpForm(
            method="POST",
            url=f"http://127.0.0.1:{site.port}/orders/{{order}}",
            headers={"X-Shop": "north", "X-Reason": "{reason}"},
            body={"amount": "{amount}"},
            response_path="data.orders.0.id",
            idempotency_header="Idempotency-Key",
        )
        desk = desk_of(form, client_for(f"127.0.0.1:{site.port}"), access=Access.WRITE, reason={}, amount={})

        answer = await desk.call("call", key="r_1:3.0", order="48213", amount=75)

    method, path, headers, body = site.seen[0]
    assert (answer, method, path, json.loads(body)) == ("7", "POST", "/orders/48213", {"amount": 75})
    assert (headers["x-shop"], headers["idempotency-key"]) == ("north", "r_1:3.0")
    assert headers["content-type"] == "application/json"
    assert "x-reason" not in headers


async def test_the_rest_of_the_arguments_can_be_the_body():
    async with serving(echo) as site:
        form = HttpForm(method="PUT", url=f"http://127.0.0.1:{site.port}/orders/{{order}}", body="{*}")
        desk = desk_of(
            form, client_for(f"127.0.0.1:{site.port}"), access=Access.WRITE, note={}, rush={"type": "boolean"}
        )

        await desk.call("call", order="7", note="x", rush=True)

    assert json.loads(site.seen[0][3]) == {"note": "x", "rush": True}


async def test_a_secret_is_sent_to_the_host_that_it_is_bound_to_and_to_no_other():
    async with serving(echo) as site, serving(echo) as other:
        secrets = BoundSecrets(SHOP=("sk-123", f"127.0.0.1:{site.port}"))
        client = client_for(f"127.0.0.1:{site.port}", f"127.0.0.1:{other.port}")
        forms = [
            HttpForm(
                url=f"http://127.0.0.1:{port}/?key={{secret:SHOP}}", headers={"Authorization": "Bearer {secret:SHOP}"}
            )
            for port in (site.port, other.port)
        ]

        await desk_of(forms[0], client, secrets=secrets).call("call")
        refusal = await desk_of(forms[1], client, secrets=secrets).refusal("call")

    assert site.seen[0][2]["authorization"] == "Bearer sk-123"
    assert site.paths == ["/?key=sk-123"]
    assert other.seen == []
    assert "sk-123" not in refusal


async def test_an_argument_that_looks_like_a_secrets_place_gets_none():
    async with serving(echo) as site:
        secrets = BoundSecrets(SHOP=("sk-123", f"127.0.0.1:{site.port}"))
        form = HttpForm(
            method="POST",
            url=f"http://127.0.0.1:{site.port}/{{a}}?b={{a}}",
            headers={"X-A": "{a}", "X-Key": "{secret:SHOP}"},
            body={"a": "{a}"},
        )
        desk = desk_of(form, client_for(f"127.0.0.1:{site.port}"), access=Access.WRITE, secrets=secrets)

        await desk.call("call", a="{secret:SHOP}")

    _, path, headers, body = site.seen[0]
    assert "sk-123" not in path + headers["x-a"] + body
    assert headers["x-key"] == "sk-123"


async def test_a_header_cannot_be_broken_by_an_argument():
    form = HttpForm(url="https://shop.example/", headers={"X-A": "{a}"})

    assert "characters that no header has" in await desk_of(form, GuardedClient()).refusal("call", a="x\r\nX-B: y")


async def test_an_agent_file_may_name_another_address_and_its_secret():
    async with serving(echo) as site:
        form = HttpForm(base_url="https://orders.example/v1", url="/orders/{order}")
        settings = {"base_url": f"http://127.0.0.1:{site.port}/v2/", "auth": {"secret": "SHOP"}}
        secrets = BoundSecrets(SHOP=("sk-123", f"127.0.0.1:{site.port}"))
        desk = desk_of(form, client_for(f"127.0.0.1:{site.port}"), settings=settings, secrets=secrets)

        await desk.call("call", order="7")

    assert site.paths == ["/v2/orders/7"]
    assert site.seen[0][2]["authorization"] == "Bearer sk-123"


# ------------------------------------------------------------------------------------------------ what comes back


@pytest.mark.parametrize(
    ("status", "access", "idempotent", "retryable"),
    [
        (404, Access.READ, False, False),
        (422, Access.WRITE, False, False),
        (429, Access.WRITE, False, True),
        (503, Access.READ, False, True),
        (503, Access.WRITE, True, True),
        (503, Access.WRITE, False, False),
    ],
)
async def test_an_error_of_the_server_fails_in_its_words(
    status: int, access: Access, idempotent: bool, retryable: bool
):
    async def sorry(request: web.Request) -> web.Response:
        return web.Response(status=status, text="no such order")

    async with serving(sorry) as site:
        form = HttpForm(method="POST", url=f"http://127.0.0.1:{site.port}/")
        desk = desk_of(form, client_for(f"127.0.0.1:{site.port}"), access=access, idempotent=idempotent)
        with pytest.raises(ToolFailed) as failed:
            await desk.call("call")

    assert failed.value.sentence == f"the server answered {status}: no such order"
    assert failed.value.retryable is retryable


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("data.bills", "the answer came, and has no `data.bills` in it"),
        ("data.orders.9", "has no `data.orders.9`"),
        ("data.orders.x", "has no `data.orders.x`"),
        ("data.orders.0.id.x", "has no `data.orders.0.id.x`"),
    ],
)
async def test_a_part_that_is_not_there_is_named(path: str, sentence: str):
    async with serving(echo) as site:
        form = HttpForm(url=f"http://127.0.0.1:{site.port}/", response_path=path)

        assert sentence in await desk_of(form, client_for(f"127.0.0.1:{site.port}")).refusal("call")


@pytest.mark.parametrize(
    ("response", "told"),
    [
        ({"text": "plain words"}, "plain words"),
        ({"status": 204}, "The server answered 204 without a body."),
        ({"body": b"\0\1\2"}, "[3 bytes that are not text]"),
        ({"text": '{"a": "é"}'}, '{"a": "é"}'),
    ],
)
async def test_the_answer_is_told_as_it_is(response: dict[str, Any], told: str):
    async def answering(request: web.Request) -> web.Response:
        return web.Response(**response)

    async with serving(answering) as site:
        form = HttpForm(url=f"http://127.0.0.1:{site.port}/")

        assert await desk_of(form, client_for(f"127.0.0.1:{site.port}")).call("call") == told


async def test_a_call_cancelled_before_it_was_sent_did_nothing():
    looking = asyncio.Event()

    async def slow_names(host: str, port: int) -> list[str]:
        looking.set()
        await asyncio.Event().wait()
        return []

    form = HttpForm(method="POST", url="http://shop.example/")
    task = asyncio.create_task(desk_of(form, GuardedClient(resolve=slow_names), access=Access.WRITE).call("call"))
    await looking.wait()

    assert await seconds_to_stop(task) < 1
    assert isinstance(task.exception(), NothingDone)


# --------------------------------------------------------------------------------------------------- bad forms


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"url": "https://{host}/orders"}, "The host of a URL is fixed"),
        ({"url": "https://shop.example:{port}/"}, "The host of a URL is fixed"),
        ({"url": "{url}"}, "Write the URL as https://host/path"),
        ({"url": "//shop.example/x"}, "Only http and https URLs"),
        ({"url": "ftp://shop.example/x"}, "nly http and https URLs"),
        ({"url": "https://me:pw@shop.example/"}, "user name or password"),
        ({"url": "https://2130706433/"}, "unusual spelling of an address"),
        ({"url": "https://shop.example/#x"}, "with a #"),
        ({"url": "https://shop.example/{secret:A}"}, "never into its path"),
        ({"url": "https://shop.example/?{a}=1"}, "not the name of one"),
        ({"url": "https://shop.example/{b}"}, "The argument b stands in the path, so it must always be given"),
        ({"url": "https://shop.example/{c}"}, "The place {c} has no argument"),
        ({"url": "https://shop.example/{a}"}, "The argument b stands nowhere"),
        ({"url": "https://shop.example/{a}", "headers": {"Host": "x"}}, "header Host is set by the studio"),
        ({"url": "https://shop.example/{a}", "headers": {"X A": "x"}}, "is not the name of a header"),
        ({"url": "https://shop.example/{a}", "headers": {"K": "x"}, "idempotency_header": "k"}, "the key of the call"),
        ({"url": "https://shop.example/{a}", "body": {"b": "{b}"}}, "A GET has no body"),
        ({"url": "https://shop.example/{a}", "method": "POST", "body": ["{secret:A}"]}, "never into the body"),
        ({"url": "https://shop.example/{a}", "response_path": "a..b"}, "names with dots between them"),
    ],
)  # fmt: skip
def test_a_form_that_cannot_be_right_is_refused_in_words(form: dict[str, Any], sentence: str):
    schema = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}

    with pytest.raises(FormRefused) as refused:
        HttpForm(**form).check(schema)

    assert sentence in str(refused.value)
