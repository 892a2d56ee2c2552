"""Every route that the URL conf knows, by its full name."""

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver


def all_routes() -> dict[str, URLPattern]:
    """Full name (`settings-tokens`, `admin:index`) to pattern; nameless ones under their path, in brackets."""
    return dict(_walk(get_resolver(), "", ""))


def _walk(resolver: URLResolver, namespace: str, path: str) -> Iterator[tuple[str, URLPattern]]:
    for pattern in resolver.url_patterns:
        here = path + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _walk(pattern, inner, here)
        else:
            yield (f"{namespace}{pattern.name}" if pattern.name else f"{namespace}<{here}>"), pattern
