"""What a rollout has read, besides the results of its tools, that nobody vouches for or that is private. Pure."""

from typing import NamedTuple

from runtime.domain.text import clipped

MOST = 300
"""Characters of the words that say where something was read; what agents pass on to one another grows."""


class Readings(NamedTuple):
    """Where each sort was read first, in words that go on behind "it has read"; empty = nothing of that sort was."""

    untrusted: str = ""
    private: str = ""

    def plus(self, untrusted: str = "", private: str = "") -> "Readings":
        """With what was read now; the first reading stays."""
        first = Readings(self.untrusted or clipped(untrusted, MOST), self.private or clipped(private, MOST))
        return self if first == self else first


NO_READINGS = Readings()
