"""The demonstration's garden furniture shop: fixed data, no money and no parcels. Every result says so."""

import asyncio
import hashlib
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from runtime.domain.tool import Access
from runtime.ports import ToolContext, ToolFailed
from runtime.tools.declaration import tool

_DEMONSTRATION = "This is the demonstration shop; nothing of it is real."
_PHOTO_SECONDS = 0.8  # long enough to be seen running
_WAREHOUSE_SECONDS = 0.75

type OrderId = Annotated[str, Field(pattern=r"^[0-9]{5}$")]

_ORDERS: Mapping[str, Mapping[str, object]] = {
    "48213": {
        "order": "48213",
        "customer": "Maya Lindqvist",
        "items": [{"article": "Alder bench", "material": "oak", "quantity": 1, "price": "189.00 EUR"}],
        "total": "189.00 EUR",
        "paid_by": "card",
        "status": "delivered",
        "refunded": "0.00 EUR",
    },
    "48190": {
        "order": "48190",
        "customer": "Jonas Okafor",
        "items": [{"article": "Birch parasol", "material": "canvas", "quantity": 1, "price": "74.00 EUR"}],
        "total": "74.00 EUR",
        "paid_by": "card",
        "status": "with the carrier, two days late",
        "refunded": "0.00 EUR",
    },
}

_PHOTOS: Mapping[str, Mapping[str, object]] = {
    "48213": {"damage": "front leg split", "part": "front leg, left", "usable": False, "confidence": 0.97},
}

_POLICIES: tuple[tuple[str, str, str], ...] = (
    ("4.1", "Return of a damaged article", "The full price is paid back once the article is on its way to us."),
    (
        "4.2",
        "Part damage, the customer keeps the article",
        "A spare part is sent free of charge, and up to 40% of the price is paid back. No return is needed.",
    ),
    ("4.3", "Payments over 50 EUR", "A person of the shop looks at every refund over 50 EUR before it is paid."),
    ("5.1", "Late delivery", "From the third day of delay on, 10% of the price is paid back on request."),
)

_WAREHOUSES: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("Tilburg", {"Alder bench, front leg, oak": 1, "Alder bench, back leg, oak": 4}),
    ("Ghent", {"Alder bench, back leg, oak": 2}),
    ("Aarhus", {"Alder bench, seat slat, oak": 12}),
    ("Lille", {"Birch parasol, pole, ash": 3}),
)


@tool(group="demo_shop")
async def lookup_order(context: ToolContext, order_id: OrderId) -> dict[str, object]:
    """Look up an order of the demonstration shop: articles, total, how it was paid, where it is.

    Args:
        order_id: Five digits, as printed on the receipt.
    """
    return {**_order(order_id), "note": _DEMONSTRATION}


@tool(group="demo_shop")
async def inspect_photo(context: ToolContext, order_id: OrderId) -> dict[str, object]:
    """Inspect the photo that the customer sent with an order of the demonstration shop.

    Args:
        order_id: Five digits, as printed on the receipt.
    """
    _order(order_id)
    await asyncio.sleep(_PHOTO_SECONDS)
    photo = _PHOTOS.get(order_id)
    if photo is None:
        raise ToolFailed(f"there is no photo for order {order_id}; ask the customer for one", retryable=False)
    return {"order": order_id, **photo, "note": _DEMONSTRATION}


@tool(group="demo_shop")
async def search_policies(
    context: ToolContext, query: Annotated[str, Field(min_length=1, max_length=200)]
) -> dict[str, object]:
    """Search the refund rules of the demonstration shop.

    Args:
        query: A few words, such as part damage refund.
    """
    found = [
        {"clause": clause, "title": title, "text": text}
        for clause, title, text in _POLICIES
        if _words(query) & _words(f"{title} {text}")
    ]
    return {"found": found, "note": _DEMONSTRATION}


@tool(group="demo_shop")
async def search_parts(
    context: ToolContext, query: Annotated[str, Field(min_length=1, max_length=200)]
) -> dict[str, object]:
    """Search the four warehouses of the demonstration shop for a spare part; takes some seconds.

    Args:
        query: Article, part and material, such as Alder bench, front leg, oak.
    """
    wanted = _words(query)
    found: list[dict[str, object]] = []
    for done, (warehouse, stock) in enumerate(_WAREHOUSES):
        context.progress(done, len(_WAREHOUSES), f"checking {warehouse}, {len(found)} found")
        await asyncio.sleep(_WAREHOUSE_SECONDS)
        found += [
            {"warehouse": warehouse, "part": part, "in_stock": count}
            for part, count in stock.items()
            if wanted and wanted <= _words(part)
        ]
    context.progress(len(_WAREHOUSES), len(_WAREHOUSES), f"{len(found)} found")
    return {"checked": [name for name, _ in _WAREHOUSES], "found": found, "note": _DEMONSTRATION}


@tool(
    group="demo_shop",
    access=Access.WRITE,
    idempotent=True,
    title="Pay money back",
    question="Pay {amount} EUR back?",
)
async def issue_refund(
    context: ToolContext,
    order_id: OrderId,
    amount: Annotated[float, Field(gt=0, le=100_000)],
    reason: Annotated[str, Field(min_length=1, max_length=500)],
) -> dict[str, object]:
    """Pretend to pay part or all of an order of the demonstration shop back; no money moves.

    Args:
        order_id: Five digits, as printed on the receipt.
        amount: In euro; at most the total of the order.
        reason: One sentence for the ledger.
    """
    total = Decimal(str(_order(order_id)["total"]).removesuffix(" EUR"))
    paid = Decimal(str(amount)).quantize(Decimal("0.01"))
    if paid > total:
        raise ToolFailed(f"{paid} EUR is more than the total of the order, {total} EUR", retryable=False)
    refund_id = "rf_" + hashlib.sha256(context.key.encode()).hexdigest()[:8]  # the same again for the same call
    return {
        "refund_id": refund_id,
        "order_id": order_id,
        "amount": f"{paid} EUR",
        "reason": reason,
        "status": "pretended",
        "note": _DEMONSTRATION,
    }


def _order(order_id: str) -> Mapping[str, object]:
    order = _ORDERS.get(order_id)
    if order is None:
        known = " and ".join(_ORDERS)
        raise ToolFailed(f"there is no order {order_id}; the demonstration shop has {known}", retryable=False)
    return order


def _words(text: str) -> set[str]:
    cleaned = "".join(character if character.isalnum() else " " for character in text.casefold())
    return {word for word in cleaned.split() if len(word) > 2}
