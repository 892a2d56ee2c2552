"""Which addresses are the public internet."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

_PUBLIC_IPV6 = IPv6Network("2000::/3")  # leaves out mapped, compatible, NAT64, local and multicast ones at once

# Named one by one, for `is_global` follows the Python release: 3.12.1 takes some of these for public.
_NOT_PUBLIC = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # carriers' own
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local, and the metadata service of clouds
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "2001::/23",  # Teredo and other special uses
        "2001:db8::/32",
        "2002::/16",  # 6to4 carries any IPv4 address
        "3fff::/20",
    )
)


def is_public(address: str) -> bool:
    """Whether requests may go to this address without an administrator's word. Source: security.md, "What goes out"."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed not in _PUBLIC_IPV6:
        return False
    return parsed.is_global and not parsed.is_multicast and not _is_listed(parsed)


def _is_listed(address: IPv4Address | IPv6Address) -> bool:
    return any(address in network for network in _NOT_PUBLIC if network.version == address.version)
