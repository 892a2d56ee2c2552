"""Files that people sent into a session, given back to those who take part in it."""

import base64

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from studio.models import Artifact, Event
from studio.queries.rollouts import rollouts_of
from studio.queries.sessions import session_for
from studio.queries.shown import Sight, sight_of
from studio.queries.viewer import viewer_of
from studio.store.codes import TYPE_CODES
from studio.web.person import person

IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
PREFIX = "file-"


@require_safe
def session_file(request: HttpRequest, public_id: str, rollout: str, file_id: str) -> HttpResponse:
    """One file, to be saved: a browser never runs or renders it as a page of ours."""
    user = person(request)
    session = session_for(user, public_id)
    found = rollouts_of(session).filter(public_id=rollout).select_related("agent").first()
    is_shown = found is not None and sight_of("user.input", found.agent.name, viewer_of(session, user)) is Sight.FULL
    text = _text(found.pk, file_id) if found is not None and is_shown else None
    if text is None:
        raise Http404("There is no such file in this session.")
    media_type, data = _content(text)
    response = HttpResponse(data, content_type=media_type)
    response["Content-Disposition"] = (
        f'attachment; filename="{file_id}.{media_type.partition("/")[2].partition(";")[0]}"'
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cache-Control"] = "private, max-age=3600"
    return response


def _text(rollout_pk: int, file_id: str) -> str | None:
    """What is kept under that id, if it came with a recorded message."""
    if not file_id.startswith(PREFIX):
        return None
    messages = Event.objects.filter(rollout_id=rollout_pk, type=TYPE_CODES["user.input"], payload__contains=file_id)
    if not messages.exists():
        return None
    return Artifact.objects.filter(rollout_id=rollout_pk, id=file_id).values_list("text", flat=True).first()


def _content(text: str) -> tuple[str, bytes]:
    """An image from its data URL; anything else is plain text."""
    head, _, data = text.partition(";base64,")
    media_type = head.removeprefix("data:")
    if text.startswith("data:") and media_type in IMAGES:
        return media_type, base64.b64decode(data)
    return "text/plain; charset=utf-8", text.encode()
