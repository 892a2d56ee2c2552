"""The WebSockets' paths. Each has its rule in `RULES`, as pages have theirs in `studio/route_rules.py`."""

from typing import Any

from channels.routing import URLRouter
from channels.sessions import SessionMiddlewareStack
from django.urls import path

from studio.live.sockets import PageSocket, Render, SessionSocket
from studio.route_rules import Rule

RULES: dict[str, Rule] = {"session": Rule.VISIBLE, "session-page": Rule.VISIBLE}


def websockets(render: Render) -> Any:
    """The ASGI application of all sockets; `render` makes the HTML that pages are sent."""
    routes = [
        path("ws/sessions/<str:session>", SessionSocket.as_asgi(), name="session"),
        path("ws/pages/sessions/<str:session>", PageSocket.as_asgi(render=render), name="session-page"),
        path("<path:unknown>", refuse),  # type: ignore[arg-type]  # Django expects a view
    ]
    return SessionMiddlewareStack(URLRouter(routes))


async def refuse(scope: Any, receive: Any, send: Any) -> None:
    """There is no such socket."""
    await receive()
    await send({"type": "websocket.close"})
