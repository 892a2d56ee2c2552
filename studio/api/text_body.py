"""Files as text: how they come in and go out."""

from django.http import HttpRequest, HttpResponse

from studio.errors import Refused
from studio.services.content import MAX_BODY_BYTES, TooLong
from studio.services.json_object import read_json_object


def text_of(request: HttpRequest) -> str:
    """The body as text, or `{"text": …}` as JSON. Raises Refused, TooLong."""
    body = request.body
    if len(body) > MAX_BODY_BYTES:
        raise TooLong("The body", MAX_BODY_BYTES)
    if request.content_type == "application/json":
        fields = read_json_object(body)
        if list(fields) != ["text"] or not isinstance(fields["text"], str):
            raise Refused('As JSON the body is {"text": …} and nothing else.')
        return fields["text"]
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise Refused(f"The text is not UTF-8: byte {error.start} does not fit. Save the file as UTF-8.") from error


def yaml_file(text: str, etag: str) -> HttpResponse:
    return HttpResponse(text, content_type="application/yaml; charset=utf-8", headers={"ETag": etag})
