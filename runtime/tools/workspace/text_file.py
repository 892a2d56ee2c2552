"""Text out of a file in a workspace: regular files only, whatever their encoding."""

import codecs
import contextlib
import io
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

from runtime.tools.workspace.errors import FileRefused, in_words
from runtime.tools.workspace.folder import Place

_LOOKED_AT_BYTES = 8192
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@contextlib.contextmanager
def opened_file(place: Place) -> Iterator[BinaryIO]:
    """The regular file at a place, open for reading. Raises FileRefused for all else: devices, pipes, folders."""
    found = place.stat()
    if found is None:
        raise place.missing()
    _refuse_unless_regular(found, place.shown)
    with in_words(place.shown):
        # Not to wait for a pipe, and not through a link, if one took the file's place since.
        descriptor = os.open(
            place.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place.folder
        )
    with os.fdopen(descriptor, "rb") as file:
        _refuse_unless_regular(os.fstat(descriptor), place.shown)
        with in_words(place.shown):
            yield file


@contextlib.contextmanager
def opened_text(place: Place) -> Iterator[io.TextIOWrapper]:
    """The file as text; bytes that are none become U+FFFD, line ends stay. Raises FileRefused for a binary file."""
    with opened_file(place) as file:
        head = file.read(_LOOKED_AT_BYTES)
        encoding = encoding_of(head)
        if encoding is None:
            size = os.fstat(file.fileno()).st_size
            raise FileRefused(f"{place.shown} is a binary file of {size_in_words(size)}; only text can be read")
        file.seek(0)
        with io.TextIOWrapper(file, encoding=encoding, errors="replace", newline="") as text:
            yield text


def encoding_of(head: bytes) -> str | None:
    """The encoding that the first bytes of a file tell; None if it is not text."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    return None if b"\0" in head else "utf-8"


def size_in_words(size_bytes: int) -> str:
    """A size as people write it: 12 bytes, 1.2 kB, 3.4 MB."""
    if size_bytes < 1000:
        return "1 byte" if size_bytes == 1 else f"{size_bytes} bytes"
    size, unit = size_bytes / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{size:.1f} {unit}"


def _refuse_unless_regular(found: os.stat_result, shown: str) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise FileRefused(f"{shown} is a folder; list_directory shows what is in it")
    if not stat.S_ISREG(found.st_mode):
        raise FileRefused(f"{shown} is a device, a pipe or a link, not a file that can be read")
