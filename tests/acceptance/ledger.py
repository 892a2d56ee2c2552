"""A small web server outside the studio that tools act on: it keeps what was really done."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

HOLD_SECONDS = 30


class Ledger:
    """`GET /read/NAME` tells something, `POST /act/NAME` does something, `GET /act/NAME` undoes it.

    `acts`, `reads` and `undone` are in order of arrival. Reads of `/read/held…` wait until `let_go` (and are noticed by
    `is_reading`).
    """

    def __init__(self) -> None:
        self.acts: list[str] = []
        self.reads: list[str] = []
        self.undone: list[str] = []
        self.is_reading = threading.Event()
        self._gate = threading.Condition()
        self._may_go: set[str] = set()

    def begin(self) -> None:
        """Forget what was done; hold again."""
        self.acts.clear()
        self.reads.clear()
        self.undone.clear()
        self.is_reading.clear()
        with self._gate:
            self._may_go.clear()

    def let_go(self, name: str = "held") -> None:
        """From now on reads of that name are answered, those that wait included."""
        with self._gate:
            self._may_go.add(f"/read/{name}")
            self._gate.notify_all()

    def _hold(self, path: str) -> None:
        self.is_reading.set()
        with self._gate:
            self._gate.wait_for(lambda: path in self._may_go, HOLD_SECONDS)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    def __enter__(self) -> Self:
        ledger = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.startswith("/act/"):
                    ledger.undone.append(self.path)
                    return self._answer({"undone": self.path})
                ledger.reads.append(self.path)
                if self.path.startswith("/read/held"):
                    ledger._hold(self.path)
                self._answer({"read": self.path})

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                ledger.acts.append(self.path)
                self._answer({"done": self.path})

            def _answer(self, body: dict[str, str]) -> None:
                data = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:
                """Quiet: pytest shows what matters."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
