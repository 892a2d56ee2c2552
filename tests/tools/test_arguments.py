"""Bad arguments are told to the model by field, in a sentence."""

import pytest

from runtime.tools.arguments import problem_with

SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "maxLength": 20, "pattern": "^[a-z]"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "unit": {"enum": ["cm", "inch"]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "note": {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
        "size": {"type": "object", "properties": {"width": {"type": "number"}}, "required": ["width"]},
    },
    "required": ["path"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({}, "`path` is missing"),
        ({"path": 3}, "`path` must be text, it is 3"),
        ({"path": "a", "limit": "ten"}, '`limit` must be a whole number, it is "ten"'),
        ({"path": "a", "limit": 0}, "`limit` must be 1 or more, it is 0"),
        ({"path": "a", "limit": 101}, "`limit` must be 100 or less, it is 101"),
        ({"path": "a", "limit": True}, "`limit` must be a whole number, it is true"),
        ({"path": "A"}, '`path` must match the pattern ^[a-z], it is "A"'),
        ({"path": "a", "unit": "m"}, '`unit` must be one of "cm", "inch", it is "m"'),
        ({"path": "a", "tags": ["x", 2]}, "`tags[1]` must be text, it is 2"),
        ({"path": "a", "tags": ["x", "y", "z"]}, '`tags` must have at most 2 items, it is ["x", "y", "z"]'),
        ({"path": "a", "note": 5}, "`note` must be text or null, it is 5"),
        ({"path": "a", "note": "long"}, '`note` must have at most 3 characters, it is "long"'),
        ({"path": "a", "size": {}}, "`size.width` is missing"),
        (
            {"path": "a", "colour": "red"},
            "`colour` is not known here; this tool takes `path`, `limit`, `unit`, `tags`, `note`, `size`",
        ),
        (["a"], 'the arguments must be a JSON object, they are ["a"]'),
    ],
)
def test_the_sentence_names_the_field(args, sentence):
    assert problem_with(SCHEMA, args) == sentence


def test_right_arguments_have_no_problem():
    assert problem_with(SCHEMA, {"path": "a", "limit": 10.0, "note": None, "size": {"width": 1}}) is None


def test_every_wrong_field_is_named_at_once():
    assert problem_with(SCHEMA, {"limit": "x", "unit": 1}) is not None
    for field in ("`path`", "`limit`", "`unit`"):
        assert field in (problem_with(SCHEMA, {"limit": "x", "unit": 1}) or "")


def test_a_long_value_is_cut():
    sentence = problem_with(SCHEMA, {"path": "a", "limit": "x" * 10_000})

    assert sentence is not None
    assert len(sentence) < 200


def test_a_schema_never_fetches_another_one_from_the_network():
    sentence = problem_with({"properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}}, {"a": 1})

    assert sentence is not None
    assert sentence.startswith("this tool cannot be called: its schema is broken")


@pytest.mark.parametrize("schema", [{"type": "nonsense"}, {"properties": 3}, {"$ref": "#/$defs/none"}])
def test_a_broken_schema_is_said_in_words(schema):
    assert (problem_with(schema, {"a": 1}) or "").startswith("this tool cannot be called")
