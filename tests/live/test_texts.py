"""A reader is given each piece of a text once, whatever comes in which order."""

from studio.hub import Delta
from studio.live.texts import Hole, Texts


def piece(text: str, offset: int, *, block: int = 0, since: int = 3) -> Delta:
    return Delta("r_1", "tutor", since, 0, 1, block, offset, "output", text)


def test_pieces_in_order_are_all_new():
    texts = Texts()

    assert texts.take(piece("Hello", 0)) == piece("Hello", 0)
    assert texts.take(piece(" you", 5)) == piece(" you", 5)


def test_what_a_snapshot_held_already_is_not_given_again():
    texts = Texts()
    texts.restart("r_1", 3, [(0, 7)])

    assert texts.take(piece("Hello", 0)) is None
    assert texts.take(piece(" you", 5)) == piece("ou", 7)


def test_a_missing_piece_is_noticed():
    texts = Texts()
    texts.take(piece("Hello", 0))

    assert texts.take(piece("you", 6)) is Hole.HOLE


def test_a_missing_block_is_noticed():
    texts = Texts()
    texts.take(piece("Hello", 0))

    assert texts.take(piece("there", 0, block=2)) is Hole.HOLE


def test_pieces_of_an_attempt_that_is_recorded_are_not_given_any_more():
    texts = Texts()
    texts.take(piece("Hello", 0))
    texts.close("r_1", 5)

    assert texts.take(piece(" you", 5)) is None
    assert texts.take(piece("Next", 0, since=7)) == piece("Next", 0, since=7)


def test_a_closing_event_read_late_leaves_the_next_attempt_alone():
    texts = Texts()
    texts.take(piece("Next", 0, since=7))
    texts.close("r_1", 5)

    assert texts.take(piece(" word", 4, since=7)) == piece(" word", 4, since=7)
