"""Every event type has its row; a hidden one has none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.domain.events import TYPES
from runtime.domain.trajectory import NO_PREDECESSOR, Draft, place
from studio.queries.shown import Placed, shown_to
from studio.web.conversation_lines import line_of
from studio.web.event_parts import render_event, render_row
from tests.payloads import built
from tests.web.told import MIA, SUE, began, said, told


def envelope(type_: str, viewer=SUE) -> dict:
    event = place(Draft(built(type_), "u_mia", step=3), 7, 1_700_000_000_000_000, NO_PREDECESSOR)
    return shown_to(Placed("s_1", "r_1", "tutor", event), viewer)


@pytest.mark.parametrize("type_", TYPES)
def test_every_type_is_rendered_as_a_row(type_):
    row = render_row(envelope(type_))

    assert f'<span class="c-event__type">{type_}</span>' in row
    assert 'id="row-r_1-7"' in row
    assert "<b>" not in row


@pytest.mark.parametrize("type_", TYPES)
def test_every_type_is_rendered_for_a_participant_or_hidden(type_):
    shown = envelope(type_, MIA)

    assert shown.get("hidden") or type_ in render_row(shown)


@pytest.mark.parametrize("type_", TYPES)
def test_every_line_is_a_sentence_without_holes(type_):
    line = line_of(envelope(type_))

    assert line is None or ("None" not in line.words and line.words.strip())


def test_a_hidden_event_changes_nothing_on_the_page():
    assert render_event({"seq": 7, "pos": 9, "rollout": "r_1", "hidden": True}, MIA) == {}


@pytest.mark.django_db
def test_a_message_is_pushed_as_an_item_a_row_and_a_tick():
    parts = render_event(told(said("<script>"))[1], MIA)

    assert parts.keys() == {"item", "item_id", "row", "tick"}
    assert parts["item_id"] == "said-r_1-2"
    assert "&lt;script&gt;" in parts["item"]


@pytest.mark.django_db
def test_a_step_whose_rollout_is_gone_leaves_no_item():
    parts = render_event(told(said("hi"), began(0))[2], MIA)

    assert parts["item"] == ""


@pytest.mark.django_db
@given(st.text(max_size=300))
def test_any_words_are_shown_escaped(text):
    html = render_event(told(said(text if text.strip() else "x"))[1], MIA)["item"]

    assert html.count("<script") == 0
    assert html.count("<article") == 1
