"""The guarded client goes where it may, to the address that it checked, and no further."""

import asyncio
import gzip
import ssl
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from runtime.tools.outbound.answer import Answer
from runtime.tools.outbound.client import GuardedClient
from runtime.tools.outbound.errors import OutboundFailed, OutboundRefused
from tests.tools.web import Names, answering, client_for, serving


async def hello(request: web.Request) -> web.Response:
    return web.Response(text="hello")


async def get(client: GuardedClient, url: str, **headers: str) -> Answer:
    return await client.fetch(client.request("GET", url, headers=headers))


async def test_an_allowed_host_is_fetched_under_its_own_name():
    async with serving(hello) as site:
        client = client_for(f"shop.example:{site.port}", names=Names(shop_example=[["127.0.0.1"]]))

        answer = await get(client, f"http://shop.example:{site.port}/a?b=c")

    assert (answer.status, answer.text()) == (200, "hello")
    assert site.seen[0][:2] == ("GET", "/a?b=c")
    assert site.seen[0][2]["host"] == f"shop.example:{site.port}"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"])
async def test_loopback_is_refused_unless_allowed(host: str):
    async with serving(hello) as site:
        with pytest.raises(OutboundRefused, match="is not on the public internet; an administrator can allow"):
            await get(GuardedClient(), f"http://{host}:{site.port}/")

    assert site.seen == []


async def test_one_private_address_among_public_ones_is_enough_to_refuse():
    async with serving(hello) as site:
        names = Names(shop_example=[["8.8.8.8", "127.0.0.1"]])

        with pytest.raises(OutboundRefused):
            await get(client_for(names=names), f"http://shop.example:{site.port}/")

    assert site.seen == []


async def test_another_port_of_an_allowed_host_is_refused():
    async with serving(hello) as site:
        with pytest.raises(OutboundRefused):
            await get(client_for("127.0.0.1:1"), f"http://127.0.0.1:{site.port}/")


async def test_a_name_that_changes_its_address_is_asked_once():
    async with serving(hello) as checked, serving(hello, host="127.0.0.2", port=checked.port) as other:
        names = Names(shop_example=[["127.0.0.1"], ["127.0.0.2"]])

        await get(client_for(f"shop.example:{checked.port}", names=names), f"http://shop.example:{checked.port}/")

    assert (len(checked.seen), len(other.seen)) == (1, 0)
    assert names.asked == ["shop.example"]


async def test_proxies_and_netrc_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    netrc = tmp_path / "netrc"
    await asyncio.to_thread(netrc.write_text, "machine 127.0.0.1 login maya password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with serving(hello) as site:
        await get(client_for(f"127.0.0.1:{site.port}"), f"http://127.0.0.1:{site.port}/")

    assert "authorization" not in site.seen[0][2]


# ------------------------------------------------------------------------------------------------- redirects


def redirecting(status: int, location: str, *, times: int = 1):
    async def handle(request: web.Request) -> web.Response:
        step = int(request.query.get("step", "0"))
        if step >= times:
            return web.Response(text="there")
        return web.Response(status=status, headers={"Location": location.format(next=step + 1)})

    return handle


async def test_three_redirects_are_followed_and_a_fourth_is_not():
    async with serving(redirecting(302, "/?step={next}", times=3)) as site:
        answer = await get(client_for(f"127.0.0.1:{site.port}"), f"http://127.0.0.1:{site.port}/")
    assert answer.text() == "there"
    assert answer.url == f"http://127.0.0.1:{site.port}/?step=3"

    async with serving(redirecting(302, "/?step={next}", times=4)) as site:
        with pytest.raises(OutboundRefused, match="redirects more than 3 times"):
            await get(client_for(f"127.0.0.1:{site.port}"), f"http://127.0.0.1:{site.port}/")
    assert len(site.seen) == 4


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1:{port}/secret",
        "//127.0.0.1:{port}/secret",
        "http://2130706433:{port}/secret",
        "http://[::ffff:127.0.0.1]:{port}/secret",
        "http://169.254.169.254/latest/meta-data/",
        "http://user:pass@shop.example:{port}/",
        "file:///etc/passwd",
        "http://",
        "http://[",
        "http://shop.example:{port}\\@127.0.0.1/",
    ],
)
async def test_each_redirect_is_checked_again(location: str):
    async with AsyncExitStack() as stack:
        inner = await stack.enter_async_context(serving(hello))
        handler = redirecting(302, location.replace("{port}", str(inner.port)))
        outer = await stack.enter_async_context(serving(handler))
        client = client_for(f"shop.example:{outer.port}", names=Names(shop_example=[["127.0.0.1"]]))

        with pytest.raises(OutboundRefused):
            await get(client, f"http://shop.example:{outer.port}/")

    assert inner.seen == []


async def test_a_redirect_to_a_name_that_turned_inward_is_refused():
    async with serving(redirecting(302, "http://turning.example/?step=1")) as site:
        names = Names(shop_example=[["127.0.0.1"]], turning_example=[["10.0.0.1"]])

        with pytest.raises(OutboundRefused, match=r"turning\.example is not on the public internet"):
            await get(client_for(f"shop.example:{site.port}", names=names), f"http://shop.example:{site.port}/")


async def test_credentials_stay_with_their_origin():
    async with serving(hello) as other, serving(redirecting(302, f"http://127.0.0.1:{other.port}/")) as first:
        client = client_for(f"127.0.0.1:{first.port}", f"127.0.0.1:{other.port}")

        await client.fetch(
            client.request(
                "GET",
                f"http://127.0.0.1:{first.port}/",
                headers={"Authorization": "Bearer x", "X-Api-Key": "y", "Cookie": "z", "Accept": "text/plain"},
            )
        )

    assert {"authorization", "x-api-key", "cookie"} <= set(first.seen[0][2])
    assert {"authorization", "x-api-key", "cookie"}.isdisjoint(other.seen[0][2])
    assert other.seen[0][2]["accept"] == "text/plain"


async def test_credentials_go_on_within_one_origin():
    async with serving(redirecting(302, "/?step=1")) as site:
        await get(client_for(f"127.0.0.1:{site.port}"), f"http://127.0.0.1:{site.port}/", Authorization="Bearer x")

    assert site.seen[1][2]["authorization"] == "Bearer x"


@pytest.mark.parametrize(("status", "method", "body"), [(303, "GET", ""), (302, "GET", ""), (307, "POST", "data")])
async def test_a_redirected_post_keeps_its_body_only_where_the_server_asks(status: int, method: str, body: str):
    async with serving(redirecting(status, "/?step=1")) as site:
        client = client_for(f"127.0.0.1:{site.port}")

        await client.fetch(client.request("POST", f"http://127.0.0.1:{site.port}/", body=b"data"))

    assert (site.seen[1][0], site.seen[1][3]) == (method, body)


async def test_a_body_is_never_sent_on_to_another_origin():
    async with serving(hello) as other, serving(redirecting(307, f"http://127.0.0.1:{other.port}/")) as first:
        client = client_for(f"127.0.0.1:{first.port}", f"127.0.0.1:{other.port}")

        with pytest.raises(OutboundRefused, match="it was not sent on there"):
            await client.fetch(client.request("POST", f"http://127.0.0.1:{first.port}/", body=b"data"))

    assert other.seen == []


# ---------------------------------------------------------------------------------------------------- limits


async def test_a_large_body_is_cut():
    async def large(request: web.Request) -> web.Response:
        return web.Response(text="x" * 50_000)

    async with serving(large) as site:
        client = client_for(f"127.0.0.1:{site.port}", max_bytes=1000)
        answer = await get(client, f"http://127.0.0.1:{site.port}/")

    assert (len(answer.body), answer.is_cut) == (1000, True)


async def test_a_compressed_bomb_is_cut_while_it_unfolds():
    async def bomb(request: web.Request) -> web.Response:
        packed = await asyncio.to_thread(gzip.compress, b"\0" * (100 << 20))
        return web.Response(body=packed, headers={"Content-Encoding": "gzip"})

    async with serving(bomb) as site:
        answer = await get(client_for(f"127.0.0.1:{site.port}"), f"http://127.0.0.1:{site.port}/")

    assert (len(answer.body), answer.is_cut) == (1 << 20, True)


@pytest.mark.parametrize(
    "head",
    [
        b"X-Long: " + b"x" * 20_000 + b"\r\n",
        b"".join(b"X-%d: x\r\n" % number for number in range(1000)),
        b"no header at all\r\n",
    ],
)
async def test_too_large_or_broken_headers_are_refused(head: bytes):
    async with answering(b"HTTP/1.1 200 OK\r\n" + head + b"Content-Length: 0\r\n\r\n") as port:
        with pytest.raises(OutboundFailed, match="no valid HTTP, or with headers that are too large"):
            await get(client_for(f"127.0.0.1:{port}"), f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "ended the connection before its answer came"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "broke off before its end"),
        (b"SSH-2.0-OpenSSH\r\n", "no valid HTTP"),
    ],
)
async def test_a_broken_answer_is_said_in_words(raw: bytes, sentence: str):
    async with answering(raw) as port:
        with pytest.raises(OutboundFailed, match=sentence):
            await get(client_for(f"127.0.0.1:{port}"), f"http://127.0.0.1:{port}/")


async def test_a_closed_port_and_an_unknown_host_are_said_in_words():
    async with serving(hello) as site:
        port = site.port
    with pytest.raises(OutboundFailed, match="takes no connection now; nothing was sent"):
        await get(client_for(f"127.0.0.1:{port}"), f"http://127.0.0.1:{port}/")
    with pytest.raises(OutboundFailed, match=r"there is no host nowhere\.example"):
        await get(client_for(names=Names(nowhere_example=[[]])), "http://nowhere.example/")


async def test_a_server_that_says_nothing_is_given_up():
    async def silent(request: web.Request) -> web.Response:
        await asyncio.Event().wait()
        raise AssertionError

    async with serving(silent) as site:
        client = client_for(f"127.0.0.1:{site.port}", timeout_seconds=0.2)

        with pytest.raises(OutboundFailed, match=r"did not answer within 0\.2 seconds") as failed:
            await get(client, f"http://127.0.0.1:{site.port}/")
        with pytest.raises(OutboundFailed) as sent:
            await client.fetch(client.request("POST", f"http://127.0.0.1:{site.port}/", body=b"x"))

    assert failed.value.retryable
    assert not sent.value.retryable


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "other.example"},
        {"Content-Length": "5"},
        {"Transfer-Encoding": "chunked"},
        {"Proxy-Authorization": "x"},
        {"X-A": "one\r\nX-B: two"},
        {"X-A": "ü"},
        {"X A": "x"},
        {"": "x"},
        {"X-A": "x" * 5000},
        {f"X-{number}": "x" for number in range(40)},
    ],
)
def test_headers_that_change_the_request_are_refused(headers: dict[str, str]):
    with pytest.raises(OutboundRefused):
        GuardedClient().request("GET", "https://example.com/", headers=headers)


async def test_a_certificate_of_nobody_is_refused_and_the_name_is_asked_for(tmp_path: Path):
    asked: list[str | None] = []
    context = await asyncio.to_thread(_tls_of, "other.example", tmp_path)
    context.sni_callback = lambda _, name, __: asked.append(name)
    async with serving(hello, ssl=context) as site:
        client = client_for(f"shop.example:{site.port}", names=Names(shop_example=[["127.0.0.1"]]))

        with pytest.raises(OutboundFailed, match=r"does not prove .* that it is shop\.example"):
            await get(client, f"https://shop.example:{site.port}/")

    assert asked == ["shop.example"]
    assert site.seen == []


def _tls_of(host: str, folder: Path) -> ssl.SSLContext:
    """A server's context with a certificate that nobody vouches for."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    path = folder / "tls.pem"
    path.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context
