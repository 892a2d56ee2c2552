"""The runtime's Hub port inside one process: a bounded queue for each reader, and the half-made answers."""

from studio.hub.frames import Behind, Changed, Delta, Frame, Ping, Progress, Queued, Recorded
from studio.hub.in_process import InProcessHub
from studio.hub.open_step import OpenStep
from studio.hub.reader import Reader, ReaderClosed

__all__ = [
    "Behind",
    "Changed",
    "Delta",
    "Frame",
    "InProcessHub",
    "OpenStep",
    "Ping",
    "Progress",
    "Queued",
    "Reader",
    "ReaderClosed",
    "Recorded",
]
