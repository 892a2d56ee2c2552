"""Server-sent events, read from bytes: no character is decoded before its event is whole."""

from runtime.domain.errors import RuntimeFault

DATA = b"data:"
LINE_BYTES = 50  # what a line costs besides its bytes, so that many empty ones have an end too


class TooLarge(RuntimeFault):
    """More bytes than an answer may have."""


class EventStream:
    """Gives the data of each event as soon as its last line has come; comments and other fields are passed over."""

    def __init__(self, most_bytes: int) -> None:
        """`most_bytes` that an event may have while its end has not come."""
        self._most_bytes = most_bytes
        self._line: list[bytes] = []  # pieces of the line that has no end yet
        self._line_bytes = 0
        self._data: list[bytes] = []  # the lines of the event that has no end yet
        self._data_bytes = 0

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of the events that this piece completes. Raises TooLarge."""
        events: list[bytes] = []
        lines, newline, rest = piece.rpartition(b"\n")
        if newline:
            events = self._take(b"".join((*self._line, lines)).split(b"\n"))
            self._line, self._line_bytes = [], 0
        self._line.append(rest)
        self._line_bytes += len(rest)
        if self._line_bytes + self._data_bytes > self._most_bytes:
            raise TooLarge
        return events

    def rest(self) -> bytes:
        """The data of an event that the connection's end left without its blank line; empty if there is none."""
        self._take([b"".join(self._line)])
        self._line = []
        return b"\n".join(self._data)

    def _take(self, lines: list[bytes]) -> list[bytes]:
        events: list[bytes] = []
        for line in lines:
            line = line.removesuffix(b"\r")
            if line.startswith(DATA):
                self._data.append(line[len(DATA) :].removeprefix(b" "))
                self._data_bytes += len(line) + LINE_BYTES
            elif not line and self._data:
                events.append(self._data[0] if len(self._data) == 1 else b"\n".join(self._data))
                self._data, self._data_bytes = [], 0
        return events
