"""A URL is read once, and whatever two programs might read differently is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.tools.outbound.address import is_public
from runtime.tools.outbound.errors import OutboundRefused
from runtime.tools.outbound.policy import BadAllowance, OutboundPolicy
from runtime.tools.outbound.target import read_url


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://example.com", "https://example.com/"),
        ("HTTP://Example.COM:80/a b?q=ü#part", "http://example.com/a%20b?q=%C3%BC"),
        ("https://example.com:8443/%2e%2e/x", "https://example.com:8443/%2e%2e/x"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://책.example/", "https://xn--pu6b.example/"),
        ("http://93.184.216.34/", "http://93.184.216.34/"),
        ("http://[2606:2800:220::1]:8080/", "http://[2606:2800:220::1]:8080/"),
        ("  https://example.com/  ", "https://example.com/"),
        ("https://example.com:/", "https://example.com/"),
    ],
)
def test_usual_urls_are_read(url: str, sent: str):
    assert read_url(url).url == sent


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "//example.com/",
        "example.com",
        "",
        "http://",
        "http:///path",
        "http:example.com",
        "https://user@example.com/",
        "https://user:secret@example.com/",
        "https://example.com@127.0.0.1/",
        "https://@example.com/",
        "https://example.com\\@127.0.0.1/",
        "https://example.com/\\..\\x",
        "https://exam\tple.com/",
        "https://example.com/\r\nHost: x",
        "https://example.com/\0",
        "https://example.com/\x7f",
        "https://example.com/\x85",
        "https://example.com/\ud800",
        "https://exam ple.com/",
        "https://exam%70le.com/",
        "https://example.com./",
        "https://example..com/",
        "https://.example.com/",
        "https://-example.com/",
        "https://example.com:0/",
        "https://example.com:65536/",
        "https://example.com:80:80/",
        "https://example.com:٨٠/",
        "https://example.com:+80/",
        "https://" + "a" * 64 + ".com/",
        "https://example.com/" + "a" * 5000,
        "https://ℂ℮㏋.example.com℀/",
        "https://１２７.0.0.1/",
        "https://127。0。0。1/",
        "https://ⓔxample.com/",
    ],
)
def test_odd_urls_are_refused_in_words(url: str):
    with pytest.raises(OutboundRefused) as refused:
        read_url(url)

    assert refused.value.sentence
    assert not refused.value.retryable


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0X7F.1",
        "0177.0.0.1",
        "017700000001",
        "127.1",
        "127.0.1",
        "127.0.0.01",
        "127.0.0.1.",
        "127.0.0.256",
        "1.2.3.4.5",
        "example.0x7f",
        "0",
        "0x",
        "foo.1",
        "[::1%eth0]",
        "[::ffff:127.0.0.1",
        "[::g]",
        "[]",
        "[::1]x",
        "[v1.x]",
    ],
)
def test_odd_spellings_of_addresses_are_refused(host: str):
    with pytest.raises(OutboundRefused):
        read_url(f"http://{host}/")


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str):
    for url in (text, "http://" + text, "http://example.com/" + text):
        try:
            target = read_url(url)
        except OutboundRefused:
            continue
        assert read_url(target.url) == target


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.255", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.171", "192.0.2.1", "192.88.99.1", "192.168.1.1",
        "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1",
        "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::8.8.8.8",
        "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:4136:e378::1",
        "2001:10::1", "2001:20::1",
        "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254",
        "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "localhost", "", "8.8.8.8 ", "0x8080808",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "1.1.1.1", "2606:4700::1111", "2a00:1450:4001::1"])
def test_addresses_that_are_public(address: str):
    assert is_public(address)


def test_an_allow_list_is_read():
    policy = OutboundPolicy.parse(" Localhost:8080, [::1]:11434 ,")

    assert policy.allowed == {"localhost:8080", "[::1]:11434"}
    assert policy.allows(read_url("http://LOCALHOST:8080/x").authority)
    assert policy.allows(read_url("http://[0:0:0:0:0:0:0:1]:11434/").authority)
    assert not policy.allows(read_url("http://localhost:8081/").authority)


@pytest.mark.parametrize("text", ["localhost", "localhost:", ":80", "http://localhost:80", "a:0", "a:99999", "::1:80"])
def test_a_wrong_entry_of_the_allow_list_is_named(text: str):
    with pytest.raises(BadAllowance, match="write entries such as localhost:8080"):
        OutboundPolicy.parse(text)
