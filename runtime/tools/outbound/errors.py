"""What can go wrong with a request that leaves the studio."""

from runtime.ports import ToolFailed


class OutboundRefused(ToolFailed):
    """A request, or the rest of one after a redirect, that the studio does not send."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, retryable=False)


class OutboundFailed(ToolFailed):
    """A request that got no answer. Retryable only where sending it twice does no harm."""
