"""What exists around an agent file: other agents with what they say, and models with or without a price."""

import pytest

from studio.models import ModelConnection
from studio.queries.known import known_for
from studio.queries.prices import has_price
from studio.services.accounts import default_project
from studio.services.agents import check, create_agent, publish
from studio.services.audit import Actor

pytestmark = pytest.mark.django_db


def test_other_agents_are_known_with_their_description_and_whether_they_have_a_version():
    actor, project = Actor.terminal(), default_project()
    critic = create_agent(actor, project, "name: critic\nmodel: playbook/echo\ndescription: Finds faults.\n")
    create_agent(actor, project, "name: fresh\nmodel: playbook/echo\n")
    publish(actor, critic)

    known = known_for(project)

    assert (known.descriptions["critic"], known.descriptions["fresh"]) == ("Finds faults.", "")
    assert "fresh" in known.unpublished
    assert "critic" not in known.unpublished


@pytest.mark.parametrize(
    ("row", "model", "priced"),
    [
        ({}, "playbook/echo", True),
        ({}, "openai/gpt-4.1-mini", True),
        ({}, "openai/no-such-model", False),
        ({}, "elsewhere/gpt-4.1-mini", False),
        ({"name": "box", "litellm_model": "openai/gpt-4.1-mini"}, "box", True),
        ({"name": "box", "litellm_model": "openai/gpt-4.1-mini", "address": "http://box"}, "box", False),
        ({"name": "box", "litellm_model": "openai/gpt-4.1-mini", "client": "native"}, "box", False),
        (
            {"name": "box", "litellm_model": "openai/own", "client": "native", "address": "http://box",
             "input_price_usd": 1.0, "output_price_usd": 2.0}, "box", True,
        ),
        ({"name": "c", "litellm_model": "anthropic/claude-sonnet-4-5"}, "anthropic/claude-sonnet-4-5-20250929", True),
    ],
)  # fmt: skip
def test_a_price_is_an_administrators_or_on_the_list(row, model, priced):
    if row:
        ModelConnection.objects.create(**row)

    assert has_price(model) is priced


def test_a_budget_in_dollars_over_a_model_of_unknown_price_is_an_error():
    ModelConnection.objects.create(name="box", litellm_model="openai/own", address="http://box")

    file = check(default_project(), "name: desk\nmodel: box\nlimits: {budget: {usd: 2}}\n")

    assert any("What `box` costs is not known" in problem.message for problem in file.errors)
