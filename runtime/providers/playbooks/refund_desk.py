"""The refund desk of a garden furniture shop: order 48213, a bench with a cracked leg; and the two that help it."""

import re

from runtime.ports import ModelRequest
from runtime.providers.playbook import Line
from runtime.providers.playbooks.reading import Scene, scene

PAUSE = 0.045  # about as fast as people read along, so that there is time to press Stop
ORDER = "48213"
ARTICLE = "Alder bench"  # stands in what the shop knows of the order
CLAUSE = "Clause 4.2"  # stands in what the policy researcher says
PLACE = "Tilburg"  # stands in what the parts finder says
LOOKS_AGAIN_SECONDS = 20  # a demonstration does not wait for days

FULL_REFUND = (
    "Thank you, I can see it. I’m sorry about that. I can refund the full €189.00 to your card once the bench is on "
    "its way back to us. You would pack it in its own carton, and the carrier collects it from your door on a day that "
    "suits you. The money is on your card two to three days after the carrier has scanned the parcel. If the carton is "
    "gone, I can have a new one sent to you first, which takes two days more."
)
_PAID = re.compile(r'"amount": ?"([0-9.]+) EUR"')


def refund_desk(request: ModelRequest) -> Line:
    """The next line of the story, or a helpful one beside it."""
    now = scene(request)
    if now.was_stopped:
        return Line("I stopped there. Nothing has been paid and nothing was sent.", pause=PAUSE)
    if now.rang.startswith("Remind"):
        return Line("A colleague still has to look at your payment; I have asked once more.", pause=PAUSE)
    if now.rang:
        return _scanned(now)
    if now.has_result("refund_id", "said no"):
        return _decided(now)
    if not any(ORDER in words for words in now.heard):
        return _ask(now)
    if now.mentions("keep", "new leg", "part of the price", "instead"):
        return _offer(now) if now.knows(ARTICLE) else _look()
    if now.mentions("address"):
        return Line("Thank you, I have noted the new address for the leg.", pause=PAUSE)
    if not now.knows(ARTICLE):
        return _look()
    if now.mentions(ORDER):
        return Line(FULL_REFUND, pause=PAUSE)
    return _ask(now)


def _ask(now: Scene) -> Line:
    if now.knows(ARTICLE):
        words = "Would you rather send the bench back, or keep it with a new leg and part of the price back?"
        return Line(words, pause=PAUSE)
    return Line(
        "I’m sorry to hear that. What is your order number, and could you tell me which part is damaged? "
        "A photo helps, if you have one.",
        thought="The order is not known yet. Ask for the number and the damage.",
        pause=PAUSE,
    )


def _look() -> Line:
    return Line(
        thought="Look up the order and the photo together.",
        calls=(
            ("update_rollout_state", {"to": "processing_request", "set": {"order_id": ORDER}}),
            ("lookup_order", {"order_id": ORDER}),
            ("inspect_photo", {"order_id": ORDER}),
        ),
        pause=PAUSE,
    )


def _offer(now: Scene) -> Line:
    if not now.has_result(CLAUSE, PLACE):
        return Line(
            "Of course, that saves you the trip too. Let me check what I’m allowed to offer and whether the leg is in "
            "stock.",
            thought="The customer prefers a part swap. Check the clause and the stock.",
            calls=(
                ("invoke_policy_researcher", {"task": "Part damage, the customer keeps the bench: what is allowed?"}),
                ("invoke_parts_finder", {"task": "Find an oak front leg for the Alder bench."}),
            ),
            pause=PAUSE,
        )
    if now.has_result("a person has to decide"):
        return Line(
            "A colleague still has to look at the payment. I will tell you as soon as it is decided.", pause=PAUSE
        )
    return Line(
        "Good news: one oak leg is in stock in Tilburg and could be with you by Thursday. For a damaged part our rules "
        "allow up to 40% back without a return, so I put forward €60.00. Nothing has been paid yet: a colleague looks "
        "at every payment first.",
        thought="60.00 of 189.00 is 32%, within the clause.",
        calls=(
            ("update_rollout_state", {"to": "waiting_for_approval", "set": {"amount": 60}}),
            (
                "issue_refund",
                {"order_id": "48213", "amount": 60, "reason": "Front leg split. The customer keeps the bench."},
            ),
            ("set_timer", {"after_seconds": 1800, "note": "Remind the colleagues of the payment for order 48213."}),
        ),
        pause=PAUSE,
    )


def _decided(now: Scene) -> Line:
    if now.has_result("The timer is cancelled"):
        return _told(now)
    paid = _paid(now)
    calls: list[tuple[str, dict[str, object]]] = [("cancel_timer", {"timer_id": timer}) for timer in now.timers[-1:]]
    if paid:
        note = "Look whether the leg was scanned by the carrier."
        calls.append(("set_timer", {"after_seconds": LOOKS_AGAIN_SECONDS, "note": note}))
    if not calls:
        return _told(now)
    return Line(thought="It is decided. Stop the reminder, and look after the parcel.", calls=tuple(calls), pause=PAUSE)


def _told(now: Scene) -> Line:
    paid = _paid(now)
    if not paid:
        words = "A colleague has decided against the payment. The new leg is still yours, free of charge."
        return Line(words, pause=PAUSE)
    return Line(
        f"It is approved: €{paid} is on its way to your card, and the oak leg leaves Tilburg today. I will look "
        "whether it was scanned.",
        pause=PAUSE,
    )


def _paid(now: Scene) -> str:
    """The amount that was paid back; empty if it was not."""
    return next((found[1] for text in now.results if (found := _PAID.search(text))), "")


def _scanned(now: Scene) -> Line:
    if not now.results:
        return Line(
            thought="The carrier has scanned the parcel: everything is settled.",
            calls=(("update_rollout_state", {"to": "request_completed", "reason": "Paid, and the leg is sent."}),),
            pause=PAUSE,
        )
    return Line("The carrier has your new leg: it arrives on Thursday. Enjoy the bench, Maya!", pause=PAUSE)


def policy_researcher(request: ModelRequest) -> Line:
    """Looks the rule up, and says what it allows."""
    now = scene(request)
    if not now.results:
        return Line(
            thought="Search the clause for damaged parts.",
            calls=(("search_policies", {"query": "part damage refund"}),),
            pause=PAUSE,
        )
    return Line(
        f"{CLAUSE}: for a damaged part up to 40% of the price is paid back, and no return is needed.", pause=PAUSE
    )


def parts_finder(request: ModelRequest) -> Line:
    """Asks the warehouses, and says where the part is."""
    now = scene(request)
    if not now.results:
        return Line(calls=(("search_parts", {"query": "Alder bench front leg oak"}),), pause=PAUSE)
    return Line(f"One oak front leg is in stock in {PLACE}; it could be there by Thursday.", pause=PAUSE)
