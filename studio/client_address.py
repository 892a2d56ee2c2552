"""Where a request comes from."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest
from django.http.request import split_domain_port


def address_of(request: HttpRequest) -> str:
    """The client's address; behind the HTTPS proxy the last one that the proxy noted."""
    forwarded = request.headers.get("X-Forwarded-For", "") if settings.HTTPS == "1" else ""
    text = forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")
    return text if _is_address(text) else "unknown"


def is_loopback(request: HttpRequest) -> bool:
    """True if the request was made on this machine, to a name of this machine."""
    address = address_of(request)
    host, _ = split_domain_port(request.get_host())
    return address != "unknown" and ip_address(address).is_loopback and host in settings.LOOPBACK


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
