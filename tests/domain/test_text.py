"""Text as trajectories may hold it."""

import pytest

from runtime.domain.text import Halves, clean

SMILE = "🙂"
FIRST, SECOND = "\ud83d", "\ude42"


def test_a_pair_in_one_text_is_put_together_and_halves_are_replaced():
    assert clean(f"{FIRST}{SECOND} {FIRST} {SECOND} \x00") == f"{SMILE} \ufffd \ufffd \ufffd"


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (("a", "b"), "ab"),
        (("a" + FIRST, SECOND + "b"), f"a{SMILE}b"),
        (("a" + FIRST, "", SECOND), f"a{SMILE}"),
        ((FIRST, FIRST, SECOND), f"\ufffd{SMILE}"),
        ((FIRST, "b"), "\ufffdb"),
        (("a", SECOND), "a\ufffd"),
    ],
)
def test_a_pair_that_is_cut_between_two_pieces_is_put_together(pieces, whole):
    halves = Halves()

    assert "".join(halves.joined("text", piece) for piece in pieces) == whole
    assert halves.left() == []


def test_texts_that_grow_at_once_do_not_mix_and_what_stays_half_is_told():
    halves = Halves()

    handed_on = [halves.joined(key, piece) for key, piece in (("x", "a" + FIRST), ("y", SECOND), ("x", SECOND))]
    halves.joined("y", FIRST)

    assert handed_on == ["a", "\ufffd", SMILE]
    assert halves.left() == ["y"]
    assert halves.left() == []
