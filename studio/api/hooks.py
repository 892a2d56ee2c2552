"""`POST /hooks/ID/NAME`: other systems tell what happened. Open, since each request is signed."""

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse

from studio.errors import StudioError
from studio.models import Trigger
from studio.problem import problem
from studio.services.webhook_signature import Signed
from studio.services.webhooks import MAX_BYTES, receive, refuse_size, webhook_at

LONGEST_SIZE = 12


def hook(request: HttpRequest, public_id: str, name: str) -> HttpResponse:
    """202 with the session and the event; again for the same delivery or event, with those of the first time."""
    if request.method != "POST":
        return problem(405, "Webhooks are sent with POST.")
    try:
        trigger = webhook_at(public_id, name)
        refuse_size(trigger, _announced_size(request))
        delivered = receive(trigger, _signed(request), _body(request, trigger))
    except StudioError as error:
        return problem(error.status, str(error))
    said = {"state": delivered.outcome, "session": delivered.session, "id": delivered.event_id}
    return JsonResponse(said, status=202)


def _announced_size(request: HttpRequest) -> int:
    size = request.headers.get("Content-Length", "")
    return int(size) if size.isdecimal() and len(size) <= LONGEST_SIZE else 0


def _body(request: HttpRequest, trigger: Trigger) -> bytes:
    try:
        return request.body
    except RequestDataTooBig:  # a size that was not announced
        refuse_size(trigger, MAX_BYTES + 1)
        raise


def _signed(request: HttpRequest) -> Signed:
    names = ("Webhook-Id", "Webhook-Timestamp", "Webhook-Signature")
    return Signed(*(request.headers.get(name, "") for name in names))
