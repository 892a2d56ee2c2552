"""Bodies of the API's requests: JSON objects, read strictly."""

from typing import Any

from django.http import HttpRequest
from ninja.parser import Parser

from studio.services.json_object import read_json_object


class StrictParser(Parser):
    """For ninja: bodies are JSON objects."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        return read_json_object(request.body)
