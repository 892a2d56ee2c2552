"""The demonstration shop tells the same story every time, and nothing of it is real."""

import asyncio
import json

import pytest

from tests.tools.calling import Desk, seconds_to_stop


async def told(desk: Desk, name: str, **args: object) -> dict:
    result = json.loads(await desk.call(name, **args))
    assert result.pop("note") == "This is the demonstration shop; nothing of it is real."
    return result


async def test_the_order_of_the_story_is_found(desk: Desk):
    order = await told(desk, "lookup_order", order_id="48213")

    assert (order["customer"], order["total"]) == ("Maya Lindqvist", "189.00 EUR")


async def test_the_photo_shows_the_split_leg(desk: Desk):
    assert (await told(desk, "inspect_photo", order_id="48213"))["damage"] == "front leg split"


async def test_the_rules_name_the_clause_about_parts(desk: Desk):
    found = (await told(desk, "search_policies", query="part damage refund"))["found"]

    assert "4.2" in [rule["clause"] for rule in found]
    assert (await told(desk, "search_policies", query="zebra"))["found"] == []


async def test_one_leg_is_found_and_the_search_is_seen_on_its_way(desk: Desk):
    result = await told(desk, "search_parts", query="Alder bench front leg oak")

    assert result["found"] == [{"warehouse": "Tilburg", "part": "Alder bench, front leg, oak", "in_stock": 1}]
    assert desk.notes[0] == "checking Tilburg, 0 found"
    assert desk.notes[-1] == "1 found"


@pytest.mark.parametrize("name", ["search_parts", "inspect_photo"])
async def test_the_slow_tools_stop_when_cancelled(desk: Desk, name: str):
    args = {"query": "leg"} if name == "search_parts" else {"order_id": "48213"}
    task = asyncio.create_task(desk.call(name, **args))
    await asyncio.sleep(0)

    assert await seconds_to_stop(task) < 1
    assert task.cancelled()


async def test_a_refund_made_again_with_the_same_key_is_the_same_refund(desk: Desk):
    first = await told(desk, "issue_refund", order_id="48213", amount=60, reason="Front leg split.")
    again = await told(desk, "issue_refund", order_id="48213", amount=60, reason="Front leg split.")

    assert first == again
    assert (first["amount"], first["status"]) == ("60.00 EUR", "pretended")


async def test_what_the_shop_cannot_do_is_said_in_words(desk: Desk):
    assert await desk.refusal("lookup_order", order_id="11111") == (
        "there is no order 11111; the demonstration shop has 48213 and 48190"
    )
    assert "ask the customer for one" in await desk.refusal("inspect_photo", order_id="48190")
    assert await desk.refusal("issue_refund", order_id="48213", amount=250, reason="x") == (
        "250.00 EUR is more than the total of the order, 189.00 EUR"
    )
