"""HTTP goes to Django, WebSockets to `studio.live`."""

import os

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")

application = ProtocolTypeRouter({"http": get_asgi_application()})
