"""How much of a prompt one node of the history takes."""

from typing import assert_never

from runtime.domain.events import UserInput
from runtime.domain.state import Call, Node, Replied, Shown, Summary
from runtime.domain.tokens import tokens_of
from runtime.domain.trajectory import Event

IMAGE_TOKENS = 1_500  # a photo of a megapixel takes 800 to 1,600 at the large providers
MESSAGE_TOKENS = 4
"""What providers add for the frame of a message."""


def node_tokens(node: Node) -> int:
    """An estimate, in time that does not grow with the history."""
    match node:
        case Summary(content=content):
            return MESSAGE_TOKENS + tokens_of(content)
        case Shown():
            results = (call.result.content for call in node.calls if call.result is not None)
            events = (event.text for event in node.events)
            texts = [*results, *events, node.previous_answer]
        case Replied():
            texts = [*(event.text for event in node.events), *map(_written, node.calls)]
            if node.completed.opaque is not None:
                texts.append(str(node.completed.opaque))
        case _:
            assert_never(node)
    images = IMAGE_TOKENS * sum(_images(event) for event in node.events)
    return images + sum(MESSAGE_TOKENS + tokens_of(text) for text in texts if text)


def _images(event: Event) -> int:
    return sum(file.is_image for file in event.payload.files) if isinstance(event.payload, UserInput) else 0


def _written(call: Call) -> str:
    return call.request.args_raw or str(call.request.args or "")
