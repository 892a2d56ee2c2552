"""API documents become tools: against a real small django-ninja service, and documents that cannot be right."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from runtime.domain.tool import Access, ToolSpec
from runtime.tools.http_form.errors import FormRefused
from runtime.tools.http_form.tool import HttpTool, auth_header
from runtime.tools.openapi.document import ApiDocument, read_document
from runtime.tools.openapi.operation import Operation
from runtime.tools.services import ToolServices
from tests.tools.calling import Desk
from tests.tools.forms import BoundSecrets
from tests.tools.orders_service import TOKEN
from tests.tools.real_services import orders_service
from tests.tools.web import client_for


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with orders_service() as port:
        yield port


async def document_of(port: int) -> str:
    client = client_for(f"127.0.0.1:{port}")
    return (await client.fetch(client.request("GET", f"http://127.0.0.1:{port}/api/openapi.json"))).text()


async def desk_of(port: int, token: str = TOKEN) -> Desk:
    authority = f"127.0.0.1:{port}"
    document = read_document(await document_of(port), f"http://{authority}")
    services = ToolServices(client_for(authority), BoundSecrets(ORDERS=(token, authority)))
    return Desk({operation.name: tool_of(operation, document, services) for operation in document.operations})


def tool_of(operation: Operation, document: ApiDocument, services: ToolServices) -> HttpTool:
    assert operation.form is not None, operation.problem
    headers = {**operation.form.headers, **auth_header({"secret": "ORDERS", **document.auth})}
    access = Access.READ if operation.reads_only else Access.WRITE
    spec = ToolSpec(operation.name, operation.description, operation.schema, access=access)
    return HttpTool(spec, operation.form.model_copy(update={"headers": headers}), services)


async def test_the_operations_of_a_real_service_are_tools(port: int):
    desk = await desk_of(port)

    order = json.loads(await desk.call("getOrder", order_id="4 8", fields="total&x"))
    paid = json.loads(await desk.call("createRefund", key="r_1:0.0", order_id="48213", amount=75, lines=[1, 2]))
    again = json.loads(await desk.call("createRefund", key="r_1:0.0", order_id="48213", amount=75, lines=[1, 2]))

    assert order == {"order": "4 8", "total": 189, "fields": "total&x"}
    assert paid["refund"] == {"order": "48213", "amount": 75, "reason": None, "lines": [1, 2]}
    assert again == paid
    assert desk.tools["getOrder"].spec.description == "Look an order up\nGives the order with its total."
    assert (desk.tools["getOrder"].spec.access, desk.tools["createRefund"].spec.access) == ("read", "write")


async def test_what_the_service_refuses_is_told_in_its_words(port: int):
    desk = await desk_of(port, "another-token")

    assert await desk.refusal("getOrder", order_id="1") == 'the server answered 401: {"detail": "Unauthorized"}'
    assert "ORDERS" not in json.dumps(desk.tools["createRefund"].spec.offered())


def minimal(**more: Any) -> dict[str, Any]:
    operation = {"operationId": "x", "responses": {}, **more}
    return {"openapi": "3.0.3", "servers": [{"url": "https://a.example/v1"}], "paths": {"/a": {"post": operation}}}


def body(schema: Any, **more: Any) -> dict[str, Any]:
    return {"requestBody": {"content": {"application/json": {"schema": schema}}, **more}}


@pytest.mark.parametrize(
    ("more", "schema", "sent"),
    [
        ({}, {}, None),
        (body({"type": "object", "properties": {"a": {"type": "string", "nullable": True, "example": 1}}}),
         {"a": {"type": ["string", "null"]}}, {"a": "{a}"}),
        (body({"type": "array", "items": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}}),
         {"body": {"type": "array", "items": {"type": "integer", "exclusiveMinimum": 0}}}, "{body}"),
        ({"parameters": [{"in": "query", "name": "filter[a]", "schema": {"type": "string"}}]},
         {"filter_a": {"type": "string"}}, None),
        ({"parameters": [{"in": "query", "name": "a"}], **body({"type": "object", "properties": {"a": {}}})},
         {"a": {}, "body": {"type": "object", "properties": {"a": {}}}}, "{body}"),
        ({"parameters": [{"in": "header", "name": "Idempotency-Key", "schema": {}}]}, {}, None),
    ],
)  # fmt: skip
def test_arguments_and_body_come_from_the_operation(more: dict[str, Any], schema: dict[str, Any], sent: object):
    (operation,) = read_document(json.dumps(minimal(**more))).operations

    assert operation.problem == ""
    assert operation.form is not None
    assert (operation.schema["properties"], operation.form.body) == (schema, sent)
    assert operation.form.template.startswith("https://a.example/v1/a")


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"requestBody": {"required": True, "content": {"multipart/form-data": {}}}}, "only JSON can be sent"),
        ({"parameters": [{"in": "cookie", "name": "sid", "required": True}]}, "the cookie sid"),
        ({"parameters": [{"in": "body", "name": "b"}]}, "The place of its parameter b is not known"),
        ({"parameters": [{"$ref": "#/components/parameters/x"}]}, "and does not have it"),
        (body({"$ref": "https://evil.example/schema.json"}), "which is outside of it"),
        (body({"type": "object", "description": "x" * 70_000}), "more than 64 KiB"),
    ],
)
def test_an_operation_that_cannot_be_a_tool_says_why(more: dict[str, Any], sentence: str):
    (operation,) = read_document(json.dumps(minimal(**more))).operations

    assert operation.form is None
    assert sentence in operation.problem


def test_a_schema_that_names_itself_ends():
    tree = {"type": "object", "properties": {"below": {"$ref": "#/components/schemas/Tree"}}}
    document = minimal(**body({"$ref": "#/components/schemas/Tree"})) | {"components": {"schemas": {"Tree": tree}}}

    (operation,) = read_document(json.dumps(document)).operations

    assert operation.schema["properties"] == {"below": {}}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no API document"),
        ("[1]", "no API document"),
        ("swagger: '2.0'", "no OpenAPI 3 document"),
        ("openapi: 3.1.0\npaths: {}", "has no operations"),
        ("openapi: 3.1.0\nopenapi: 3.1.0", "cannot be read"),
        ("a: &a [x,x,x]\nb: &b [*a,*a,*a]\n" + "c: !!python/object:os.system x", "cannot be read"),
        ("openapi: 3.1.0\n" + "x" * (3 << 20), "cannot be read"),
    ],
)
def test_what_is_no_document_is_refused_in_words(text: str, sentence: str):
    with pytest.raises(FormRefused, match=sentence):
        read_document(text)


def test_a_document_without_a_server_needs_an_address():
    text = json.dumps(minimal() | {"servers": [{"url": "/v1"}]})

    assert read_document(text).operations[0].form is None
    assert read_document(text, "https://b.example").operations[0].form is not None
