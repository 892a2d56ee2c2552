"""HTTP goes to Django, WebSockets to `studio.live`."""

import os

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")

http = get_asgi_application()  # first: it sets Django up, which the sockets need

from studio.live.routing import websockets  # noqa: E402
from studio.web.event_parts import render_frame  # noqa: E402

application = ProtocolTypeRouter({"http": http, "websocket": websockets(render_frame)})
