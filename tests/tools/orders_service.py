"""A small real service made with django-ninja: orders that can be looked up and paid back with a token."""

from typing import Annotated

from django.http import HttpRequest
from ninja import Field, Header, NinjaAPI, Schema
from ninja.security import HttpBearer

TOKEN = "orders-token-123456"


class Bearer(HttpBearer):
    def authenticate(self, request: HttpRequest, token: str) -> str | None:
        return token if token == TOKEN else None


api = NinjaAPI(title="Orders", auth=Bearer(), urls_namespace="orders", version="1.0")
refunds: dict[str, dict] = {}
Key = Annotated[str, Header("", alias="Idempotency-Key")]


class Refund(Schema):
    amount: float = Field(gt=0, description="In euro.")
    reason: str | None = None
    lines: list[int] = []


@api.get("/orders/{order_id}", operation_id="getOrder", summary="Look an order up")
def get_order(request: HttpRequest, order_id: str, fields: str = "") -> dict:
    """Gives the order with its total."""
    return {"order": order_id, "total": 189, "fields": fields}


@api.post("/orders/{order_id}/refunds", operation_id="createRefund", summary="Pay an order back")
def create_refund(request: HttpRequest, order_id: str, refund: Refund, idempotency_key: Key = "") -> dict:
    known = refunds.setdefault(idempotency_key or str(len(refunds)), {"order": order_id, **refund.dict()})
    return {"count": len(refunds), "refund": known}


@api.delete("/orders/{order_id}", operation_id="deleteOrder")
def delete_order(request: HttpRequest, order_id: str) -> None:
    raise AssertionError("nobody chose this")
