"""The refund desk of a garden furniture shop: order 48213, a bench with a cracked leg."""

from runtime.ports import ModelRequest
from runtime.providers.playbook import Line
from runtime.providers.playbooks.reading import Scene, scene

PAUSE = 0.045  # about as fast as people read along, so that there is time to press Stop

FULL_REFUND = (
    "Thank you, I can see it. I’m sorry about that. I can refund the full €189.00 to your card once the bench is on "
    "its way back to us. You would pack it in its own carton, and the carrier collects it from your door on a day that "
    "suits you. The money is on your card two to three days after the carrier has scanned the parcel. If the carton is "
    "gone, I can have a new one sent to you first, which takes two days more."
)


def refund_desk(request: ModelRequest) -> Line:
    """The next line of the story, or a helpful one beside it."""
    now = scene(request)
    if now.was_stopped:
        return Line("I stopped there. Nothing has been paid and nothing was sent.", pause=PAUSE)
    if now.mentions("keep", "new leg", "part of the price", "instead"):
        return _offer(now)
    if now.mentions("48213"):
        return _look(now)
    return Line(
        "I’m sorry to hear that. What is your order number, and could you tell me which part is damaged? "
        "A photo helps, if you have one.",
        thought="The order is not known yet. Ask for the number and the damage.",
        pause=PAUSE,
    )


def _look(now: Scene) -> Line:
    if not now.results:
        return Line(
            thought="Look up the order and the photo together.",
            calls=(("lookup_order", {"order_id": "48213"}), ("inspect_photo", {"order_id": "48213"})),
            pause=PAUSE,
        )
    return Line(FULL_REFUND, pause=PAUSE)


def _offer(now: Scene) -> Line:
    if not now.results:
        return Line(
            "Of course, that saves you the trip too. Let me check what I’m allowed to offer and whether the leg is in "
            "stock.",
            thought="The customer prefers a part swap. Check the clause and the stock.",
            calls=(
                ("search_policies", {"query": "part damage refund"}),
                ("search_parts", {"query": "Alder bench front leg oak"}),
            ),
            pause=PAUSE,
        )
    return Line(
        "Good news: one oak leg is in stock in Tilburg and could be with you by Thursday. For a damaged part our rules "
        "allow up to 40% back without a return, so I can put forward €60.00. Nothing has been paid yet: a colleague "
        "looks at every payment first.",
        thought="60.00 of 189.00 is 32%, within the clause.",
        pause=PAUSE,
    )
