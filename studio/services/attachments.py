"""Files that people send along: what they are is read from their bytes; what an agent cannot read is refused."""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.domain.agent import Agent
from runtime.domain.artifact import HEAD_CHARACTERS, NewArtifact
from runtime.domain.events import FileRef
from runtime.domain.text import is_fit
from studio.errors import Refused
from studio.services.content import TooLong
from studio.store.abilities import sees_images
from studio.wiring import running

MOST_FILES = 5
MOST_BYTES = 2 * 1024 * 1024
TEXT = "text/plain"
_MAGIC = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file with its bare name; `media_type` is what its bytes are, whatever its name says."""

    name: str
    media_type: str
    data: bytes

    @property
    def is_image(self) -> bool:
        return self.media_type != TEXT


def attachments_in(given: Any) -> list[Attachment]:
    """The files of an event's payload, each with `name` and `data` in base64. Raises Refused, TooLong."""
    if given is None:
        return []
    if not isinstance(given, list | tuple) or not all(isinstance(one, Mapping) for one in given):
        raise Refused("The files are not right: a list of objects is wanted, each with `name` and `data` in base64.")
    if len(given) > MOST_FILES:
        raise Refused(f"A message takes at most {MOST_FILES} files. Send the others with another message.")
    return [_attachment(str(one.get("name") or "file"), _decoded(one.get("data"))) for one in given]


def encoded(name: str, data: bytes) -> dict[str, str]:
    """A file as an event's payload has it."""
    return {"name": name, "data": base64.b64encode(data).decode()}


def must_be_readable(attachments: Sequence[Attachment], agent: Agent) -> None:
    """Raises Refused if there is an image, and the agent's model cannot see any."""
    image = next((one for one in attachments if one.is_image), None)
    if image is not None and not sees_images(agent.model):
        raise Refused(f"{image.name} was not sent: the model of {agent.shown_name} cannot see images. Describe it.")


def kept(attachments: Sequence[Attachment], event_id: str) -> tuple[tuple[FileRef, ...], list[NewArtifact]]:
    """How the event names them, and what is kept beside the rollout: images as data URLs, texts as they are."""
    refs, artifacts = [], []
    for number, one in enumerate(attachments):
        id_ = f"file-{event_id}-{number}"
        text = _data_url(one) if one.is_image else running().redactor.redact(one.data.decode("utf-8-sig"))
        head = "" if one.is_image else text[:HEAD_CHARACTERS]
        refs.append(FileRef(id=id_, name=one.name, media_type=one.media_type, bytes=len(one.data), head=head))
        artifacts.append(NewArtifact(id_, text))
    return tuple(refs), artifacts


def _data_url(one: Attachment) -> str:
    return f"data:{one.media_type};base64,{base64.b64encode(one.data).decode()}"


def _decoded(data: Any) -> bytes:
    if isinstance(data, str) and len(data) > 2 * MOST_BYTES:
        raise TooLong("A file", MOST_BYTES)
    try:
        return base64.b64decode(str(data), validate=True)
    except (binascii.Error, ValueError):
        raise Refused("The data of a file is no base64. Send the file again.") from None


def _attachment(name: str, data: bytes) -> Attachment:
    name = _bare(name)
    if len(data) > MOST_BYTES:
        raise TooLong(f"The file {name}", MOST_BYTES)
    if not data:
        raise Refused(f"The file {name} is empty.")
    media_type = next((kind for magic, kind in _MAGIC if magic.match(data)), TEXT)
    if media_type == TEXT and not _is_text(data):
        raise Refused(f"{name} cannot be read: send images (PNG, JPEG, GIF, WebP) or texts.")
    return Attachment(name, media_type, data)


def _is_text(data: bytes) -> bool:
    try:
        return is_fit(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return False


def _bare(name: str) -> str:
    """The name without any folder, and without what cannot be shown."""
    bare = name.replace("\\", "/").rpartition("/")[2]
    return "".join(sign for sign in bare if sign.isprintable())[:100].strip() or "file"
