"""Static files by whitenoise, without holding a thread while an asynchronous view waits."""

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile


class StaticFiles(WhiteNoiseMiddleware):
    """Whitenoise's own middleware is synchronous: under ASGI it would keep a thread for each waiting request."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response):  # type: ignore[no-untyped-def]  # Django types both kinds of callable loosely
        super().__init__(get_response)
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest):  # type: ignore[no-untyped-def]  # a response or a coroutine of one
        static_file = self._file(request)
        if static_file is None:
            return self.get_response(request)
        return self._answer_later(static_file, request) if self.is_async else _answer(static_file, request)

    async def _answer_later(self, static_file: StaticFile, request: HttpRequest) -> HttpResponseBase:
        return _answer(static_file, request)

    def _file(self, request: HttpRequest) -> StaticFile | None:
        if self.autorefresh:
            return self.find_file(request.path_info)
        return self.files.get(request.path_info)


def _answer(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
    """The whole file at once: they are small, and Django would read an open file in a thread."""
    found = static_file.get_response(request.method, request.META)
    body = b""
    if found.file is not None:
        with found.file as file:
            body = file.read()
    response = HttpResponse(body, status=int(found.status))
    del response["Content-Type"]
    for name, value in found.headers:
        response[name] = value
    return response
