"""The HTTP tools tell the model what a server said, and stop at once."""

import asyncio
import json

import pytest
from aiohttp import web

from runtime.ports import NothingDone
from runtime.tools.outbound.client import GuardedClient
from runtime.tools.registry import discover
from runtime.tools.services import ToolServices
from tests.tools.calling import Desk, seconds_to_stop
from tests.tools.web import client_for, serving


def surfer(client: GuardedClient) -> Desk:
    return Desk({tool.spec.name: tool for tool in discover(ToolServices(client)).group("http")})


async def echo(request: web.Request) -> web.Response:
    return web.json_response({"method": request.method, "said": await request.text()}, headers={"ETag": '"1"'})


async def test_a_page_is_fetched():
    async def page(request: web.Request) -> web.Response:
        return web.Response(
            body="다리 é".encode("euc-kr", "replace"), headers={"Content-Type": "text/html; charset=euc-kr"}
        )

    async with serving(page) as site:
        url = f"http://127.0.0.1:{site.port}/"
        told = json.loads(await surfer(client_for(f"127.0.0.1:{site.port}")).call("http_get", url=url))

    assert told == {"status": 200, "url": url, "content_type": "text/html", "body": "다리 ?"}


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_a_request_carries_its_method_headers_and_body(method: str):
    async with serving(echo) as site:
        desk = surfer(client_for(f"127.0.0.1:{site.port}"))
        answer = await desk.call(
            "http_request",
            method=method,
            url=f"http://127.0.0.1:{site.port}/orders",
            headers={"Content-Type": "application/json", "X-Shop": "1"},
            body='{"leg": "🪵"}',
        )

    told = json.loads(answer)
    assert json.loads(told["body"]) == {"method": method, "said": '{"leg": "🪵"}'}
    assert told["etag"] == '"1"'
    assert site.seen[0][2]["x-shop"] == "1"


async def test_an_error_of_the_server_is_an_answer():
    async def sorry(request: web.Request) -> web.Response:
        return web.Response(status=429, text="slow down", headers={"Retry-After": "7"})

    async with serving(sorry) as site:
        desk = surfer(client_for(f"127.0.0.1:{site.port}"))
        told = json.loads(await desk.call("http_get", url=f"http://127.0.0.1:{site.port}/"))

    assert (told["status"], told["retry-after"], told["body"]) == (429, "7", "slow down")


async def test_what_is_no_text_is_only_measured():
    async def photo(request: web.Request) -> web.Response:
        return web.Response(body=b"\xff\xd8\0" * 1000, content_type="image/jpeg")

    async with serving(photo) as site:
        desk = surfer(client_for(f"127.0.0.1:{site.port}"))
        told = json.loads(await desk.call("http_get", url=f"http://127.0.0.1:{site.port}/"))

    assert told["body"] == "[3.0 kB that are not text]"


async def test_a_long_page_says_that_it_was_cut():
    async def long(request: web.Request) -> web.Response:
        return web.Response(text="x" * 5000)

    async with serving(long) as site:
        desk = surfer(client_for(f"127.0.0.1:{site.port}", max_bytes=1000))
        told = json.loads(await desk.call("http_get", url=f"http://127.0.0.1:{site.port}/"))

    assert (len(told["body"]), told["note"]) == (1000, "the body is longer; these are its first 1.0 kB")


async def test_the_inner_network_is_refused_in_words():
    desk = surfer(GuardedClient())

    assert await desk.refusal("http_get", url="http://169.254.169.254/latest/meta-data/") == (
        "169.254.169.254 is not on the public internet; an administrator can allow 169.254.169.254:80"
    )
    assert "only http and https" in await desk.refusal("http_request", method="GET", url="file:///etc/passwd")


async def test_a_cancelled_request_closes_its_connection_and_is_not_known_to_have_failed():
    arrived, closed = asyncio.Event(), asyncio.Event()

    async def slow(request: web.Request) -> web.Response:
        arrived.set()
        try:
            await asyncio.Event().wait()
        finally:
            closed.set()
        raise AssertionError

    async with serving(slow) as site:
        desk = surfer(client_for(f"127.0.0.1:{site.port}"))
        url = f"http://127.0.0.1:{site.port}/"
        task = asyncio.create_task(desk.call("http_request", method="POST", url=url, body="x"))
        await arrived.wait()

        assert await seconds_to_stop(task) < 1
        assert task.cancelled()
        async with asyncio.timeout(1):
            await closed.wait()


async def test_a_request_cancelled_before_it_was_sent_did_nothing():
    looking = asyncio.Event()

    async def slow_names(host: str, port: int) -> list[str]:
        looking.set()
        await asyncio.Event().wait()
        return []

    desk = surfer(GuardedClient(resolve=slow_names))
    task = asyncio.create_task(desk.call("http_request", method="POST", url="http://shop.example/", body="x"))
    await looking.wait()

    assert await seconds_to_stop(task) < 1
    assert isinstance(task.exception(), NothingDone)


async def test_a_cancelled_get_stops_while_the_body_still_comes():
    streaming = asyncio.Event()

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 100)
            streaming.set()
            await asyncio.sleep(0.01)

    async with serving(endless) as site:
        desk = surfer(client_for(f"127.0.0.1:{site.port}"))
        task = asyncio.create_task(desk.call("http_get", url=f"http://127.0.0.1:{site.port}/"))
        await streaming.wait()

        assert await seconds_to_stop(task) < 1
        assert task.cancelled()
