"""Serves the orders service: `python -m tests.tools.orders_server PORT`."""

import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application


class Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    settings.configure(ROOT_URLCONF="tests.tools.orders_urls", ALLOWED_HOSTS=["*"], SECRET_KEY="orders")
    application = get_wsgi_application()
    make_server("127.0.0.1", int(sys.argv[1]), application, Threaded, Quiet).serve_forever()
