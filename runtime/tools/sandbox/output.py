"""The output of a program: its beginning and its end, whatever stands between."""

from collections import deque

from runtime.tools.workspace.text_file import size_in_words


class Output:
    """Takes bytes for ever, and keeps `most` of them."""

    def __init__(self, most: int) -> None:
        self._most_head, self._most_tail = most // 2, most - most // 2
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self.total = 0

    def add(self, piece: bytes) -> None:
        """More of it."""
        self.total += len(piece)
        room = self._most_head - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        if piece:
            self._tail.append(piece)
            self._tail_bytes += len(piece)
            while self._tail_bytes - len(self._tail[0]) >= self._most_tail:
                self._tail_bytes -= len(self._tail.popleft())

    @property
    def text(self) -> str:
        """What was kept, and in brackets how much was left out."""
        tail = b"".join(self._tail)[-self._most_tail :]
        left_out = self.total - len(self._head) - len(tail)
        if not left_out:
            return (bytes(self._head) + tail).decode("utf-8", "replace")
        head = self._head.decode("utf-8", "replace")
        return f"{head}\n[{size_in_words(left_out)} left out]\n{tail.decode('utf-8', 'replace')}"
