"""A JSON Schema as a form, and what was typed into it as values."""

import pytest

from studio.web.schema_form import NotOfItsKind, schema_fields, values_of

SCHEMA = {
    "type": "object",
    "properties": {
        "order": {"$ref": "#/$defs/Order", "description": "Five digits."},
        "amount": {"type": "number"},
        "count": {"type": "integer"},
        "gift": {"type": "boolean"},
        "when": {"enum": ["morning", "evening"]},
        "parts": {"type": "array"},
        "note": {"type": "string", "title": "A note"},
    },
    "$defs": {"Order": {"type": "string"}},
    "required": ["order"],
}


def test_each_property_is_a_field_of_its_kind():
    fields = schema_fields(SCHEMA, {"amount": 60.5, "parts": ["leg"], "note": "x" * 100})

    assert [(field.name, field.kind, field.value) for field in fields] == [
        ("order", "text", ""),
        ("amount", "number", "60.5"),
        ("count", "integer", ""),
        ("gift", "switch", ""),
        ("when", "choice", ""),
        ("parts", "json", '["leg"]'),
        ("note", "area", "x" * 100),
    ]
    assert (fields[0].help, fields[0].is_required, fields[6].label) == ("Five digits.", True, "A note")


def test_what_is_typed_is_read_as_its_kind_and_what_is_empty_is_left_out():
    posted = {"v:order": "48213", "v:amount": "60", "v:gift": "true", "v:when": "morning", "v:parts": '["leg", 2]'}

    found = values_of(schema_fields(SCHEMA), posted, prefix="v:")

    assert found == {"order": "48213", "amount": 60, "gift": True, "when": "morning", "parts": ["leg", 2]}


@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [
        ("amount", "much", "amount: write a number."),
        ("amount", "inf", "amount: write a number."),
        ("parts", "[1,", "parts: write JSON, such as [1, 2] or a text in quotes."),
    ],
)
def test_what_cannot_be_read_names_its_field(name, typed, sentence):
    with pytest.raises(NotOfItsKind) as refused:
        values_of(schema_fields(SCHEMA), {f"v:{name}": typed}, prefix="v:")

    assert (str(refused.value), refused.value.field.name) == (sentence, name)


def test_a_schema_of_another_shape_has_no_fields():
    assert schema_fields({"type": "string"}) == []
    assert schema_fields({"properties": {"x": True}})[0].kind == "json"
