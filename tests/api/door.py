"""The API as one person speaks to it, by cookie."""

import json
from typing import Any

from django.test import Client

from studio.models import User
from tests.people import browser_of


class Door:
    def __init__(self, user: User | None) -> None:
        self.client: Client = browser_of(user)

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and answer; `body` as JSON, or bytes as they are."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        response = self.client.generic(
            method,
            f"/amp/v1{path}",
            data,
            content_type="application/json",
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )
        is_json = "json" in response.headers.get("Content-Type", "")
        return response.status_code, response.json() if is_json and response.content else response.content.decode()
