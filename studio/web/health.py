"""Whether the studio and its database work; for monitors, without a login."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse


def health(_request: HttpRequest) -> JsonResponse:
    """200 `{"status": "ok"}`, or 503 with what does not work."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "failed", "database": "failed"}, status=503)
    return JsonResponse({"status": "ok", "database": "ok"})
