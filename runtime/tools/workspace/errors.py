"""What can go wrong with files, in words for the model and the person beside it."""

import contextlib
import errno
from collections.abc import Iterator, Mapping

from runtime.ports import ToolFailed

_SENTENCES: Mapping[int, str] = {
    errno.EACCES: "{path} may not be opened: the studio has no permission for it",
    errno.EPERM: "{path} may not be changed: the system does not permit it",
    errno.ENOENT: "{path} is not there (any more)",
    errno.ENOTDIR: "{path} goes through something that is not a folder",
    errno.EISDIR: "{path} is a folder",
    errno.ELOOP: "{path} became a link while it was opened; try again",
    errno.EEXIST: "{path} exists already",
    errno.ENOTEMPTY: "{path} is a folder that is not empty",
    errno.ENOSPC: "the disk is full; {path} was not written",
    errno.EDQUOT: "the disk quota is used up; {path} was not written",
    errno.EROFS: "{path} is on a disk that cannot be written to",
    errno.ENAMETOOLONG: "{path} is too long a name for this disk",
    errno.EXDEV: "{path} is on another disk; copy it and delete the old one",
    errno.EMFILE: "the studio has too many files open; try again later",
}
_WORTH_ANOTHER_TRY = frozenset({errno.ELOOP, errno.EMFILE, errno.EIO, errno.EAGAIN})


class FileRefused(ToolFailed):
    """A file operation that cannot be done, and had no effect. The same attempt again would not help."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, retryable=False)


@contextlib.contextmanager
def in_words(shown: str) -> Iterator[None]:
    """Say an OSError about this path as a ToolFailed."""
    try:
        yield
    except OSError as error:
        known = _SENTENCES.get(error.errno or 0, f"{{path}}: the system says {error.strerror}")
        retryable = error.errno in _WORTH_ANOTHER_TRY
        raise ToolFailed(known.replace("{path}", shown), retryable=retryable) from error
