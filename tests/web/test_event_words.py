"""Events in plain words: what is too long for one line shows that it was cut."""

import pytest

from studio.templatetags.events import first_line
from studio.web.event_words import one_line


@pytest.mark.parametrize("line", [one_line, first_line])
def test_a_long_text_ends_with_an_ellipsis_where_it_was_cut(line):
    assert line("Nothing has been paid yet:\n a colleague looks first.") == (
        "Nothing has been paid yet: a colleague looks first."
    )
    assert line("word " * 100).endswith("word\N{HORIZONTAL ELLIPSIS}")
    assert line("a" + " " * 1000 + "b") == "a\N{HORIZONTAL ELLIPSIS}"
    assert len(line("word" * 100)) <= 200
