"""`GET /amp/v1/sessions/ID/stream`: the frames of amp.md as Server-Sent Events."""

from collections.abc import AsyncIterator
from contextlib import aclosing

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from studio.hub import ReaderClosed
from studio.live.entrance import cursor, cursor_of, pass_of_bearer
from studio.live.frame import OutFrame
from studio.live.passes import Pass, TooManyStreams, admitted, doorkeeper
from studio.live.watch import Watch
from studio.problem import problem
from studio.wiring import running


@require_safe
async def stream(request: HttpRequest, session: str) -> HttpResponseBase:
    """Until the client goes away: the log after the cursor, snapshots, then live."""
    pass_ = await _pass(request)
    found = None if pass_ is None else await admitted(pass_, session)
    if pass_ is None or found is None:
        return problem(404, "There is no such session, or it is not yours to see. It may have been deleted.")
    if request.method == "HEAD":
        return HttpResponse(content_type="text/event-stream")
    place, viewer = found
    try:
        doorkeeper.must_have_room(pass_)
    except TooManyStreams as error:
        return problem(429, str(error))
    watch = Watch(place, viewer, running().hub, _after(request))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(_bytes(watch, pass_), content_type="text/event-stream", headers=headers)


async def _pass(request: HttpRequest) -> Pass | None:
    """What let the request through the doors: again from its headers, since a stream outlives a request."""
    bearer = request.headers.get("Authorization")
    if bearer is not None:
        return await pass_of_bearer(bearer)
    user = await request.auser()
    return Pass(int(user.pk or 0), session_key=request.session.session_key)


def _after(request: HttpRequest) -> int:
    last = request.headers.get("Last-Event-ID", "")
    return cursor(last) if last else cursor_of(request.META.get("QUERY_STRING", ""))


async def _bytes(watch: Watch, pass_: Pass) -> AsyncIterator[bytes]:
    """Enters only when the first byte is asked for: a client that has gone by then never asks, and never leaves."""
    try:
        doorkeeper.enter(watch, pass_)
        async with aclosing(watch.batches()) as batches:
            async for frames in batches:
                if frames:
                    yield b"".join(frame.as_sse() for frame in frames)
    except (ReaderClosed, TooManyStreams) as closed:
        yield OutFrame("reset", {"reason": str(closed)}).as_sse()
    finally:
        doorkeeper.leave(watch)
