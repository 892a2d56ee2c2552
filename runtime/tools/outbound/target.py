"""Where a request goes, read once from its URL; nobody reads the URL again."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import SplitResult, quote, urljoin, urlsplit

import idna

from runtime.tools.outbound.errors import OutboundRefused

_LONGEST_URL = 4000
_PORTS = {"http": 80, "https": 443}
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_SAFE = "/%:@!$&'()*+,;=~-._?"


@dataclass(frozen=True, slots=True)
class Target:
    """`host` is lower case, ASCII, an IPv6 address without brackets; `path` and `query` are encoded."""

    scheme: str
    host: str
    port: int
    path: str
    query: str

    @property
    def authority(self) -> str:
        """`host:port` as an administrator allows it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def origin(self) -> tuple[str, str, int]:
        """What credentials are for."""
        return self.scheme, self.host, self.port

    @property
    def url(self) -> str:
        """The URL as it is sent; the port only where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}{'?' + self.query if self.query else ''}"

    def joined(self, location: str) -> "Target":
        """Where a redirect from here leads. Raises OutboundRefused."""
        _refuse_odd_characters(location)
        try:
            return read_url(urljoin(self.url, location))
        except ValueError:
            raise OutboundRefused(f"{self.host} redirects to something that is no URL") from None


def read_url(text: str) -> Target:
    """Read an http or https URL. Raises OutboundRefused for whatever two programs might read differently."""
    text = text.strip(" ")
    _refuse_odd_characters(text)
    try:
        split = urlsplit(text)
        port = split.port
    except ValueError:
        raise OutboundRefused("this is not a URL that can be read; write it as https://host/path") from None
    if split.scheme not in _PORTS:
        raise OutboundRefused("only http and https URLs are fetched; write it as https://host/path")
    if "@" in split.netloc:
        raise OutboundRefused("a URL with a user name or password in it is not fetched")
    if port == 0:
        raise OutboundRefused("there is no port 0")
    return Target(
        scheme=split.scheme,
        host=_host(split),
        port=port or _PORTS[split.scheme],
        path=quote(split.path or "/", safe=_SAFE.replace("?", "")),
        query=quote(split.query, safe=_SAFE),
    )


def _refuse_odd_characters(text: str) -> None:
    if len(text) > _LONGEST_URL:
        raise OutboundRefused(f"the URL is longer than {_LONGEST_URL} characters")
    for character in text:
        code = ord(character)
        if code < 32 or 127 <= code < 160 or 0xD800 <= code < 0xE000 or character == "\\":
            raise OutboundRefused("the URL has control characters or backslashes, and is not fetched")


def _host(split: SplitResult) -> str:
    name = split.netloc.removesuffix(f":{split.port}").removesuffix(":") if split.port else split.netloc
    name = name.removesuffix(":")
    if name.startswith("["):
        return _ipv6(name)
    name = name.lower() if name.isascii() else _ascii(name)
    if _NUMBER.fullmatch(name.removesuffix(".").rpartition(".")[2]):
        return _ipv4(name)
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise OutboundRefused(f"{_shown(name)} is not the name of a host")
    return name


def _ipv6(name: str) -> str:
    try:
        if "%" in name or not name.endswith("]"):
            raise ValueError
        return str(IPv6Address(name[1:-1]))
    except ValueError:
        raise OutboundRefused(f"{_shown(name)} is not an address") from None


def _ipv4(name: str) -> str:
    """A name that ends in a number is an address for most programs, in whatever spelling; one is accepted."""
    try:
        return str(IPv4Address(name))
    except ValueError:
        raise OutboundRefused(f"{_shown(name)} is an unusual spelling of an address; write four numbers") from None


def _ascii(name: str) -> str:
    try:
        ascii_name = idna.encode(name, uts46=True, transitional=False).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise OutboundRefused(f"{_shown(name)} is not the name of a host") from None
    if "xn--" not in ascii_name:
        raise OutboundRefused(f"{_shown(name)} is an unusual spelling of {_shown(ascii_name)}; write that")
    return ascii_name


def _shown(name: str) -> str:
    return name if 0 < len(name) <= 100 else f"{name[:100]}…" if name else "nothing"
