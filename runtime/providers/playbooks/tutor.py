"""A patient tutor for fractions. Works out sums with the calculator."""

import re

from runtime.ports import ModelRequest
from runtime.providers.playbook import Line
from runtime.providers.playbooks.reading import scene

PAUSE = 0.05
_WORDS = {" plus ": " + ", " and ": " + ", " minus ": " - ", " times ": " * ", " divided by ": " / "}
_SUM = re.compile(r"[\d(][\d\s().+*/-]*[\d)]")

LESSON = (
    "Let us start with a pizza. Cut it into four equal slices. Each slice is one quarter, written 1/4: the number "
    "below says into how many equal parts the whole was cut, the number above says how many of them you have.\n\n"
    "Eat one slice, and three quarters are left, 3/4. Cut every slice in half again, and the same pizza has eight "
    "parts. Nobody has more or less to eat than before, so 3/4 and 6/8 are the same amount.\n\n"
    "That is the whole secret of adding fractions: first cut both into parts of the same size, then count the parts. "
    "Take 1/2 + 1/4. A half is two quarters. Two quarters and one quarter are three quarters.\n\n"
    "Now you: what is 1/3 + 1/6? Write it down, and I will check it with you."
)


def tutor(request: ModelRequest) -> Line:
    """The lesson, or the sum that was asked for."""
    now = scene(request)
    if now.was_stopped:
        return Line("We stopped in the middle of the lesson. Ask me whatever is not clear.", pause=PAUSE)
    if now.results:
        return Line(f"That makes {now.results[-1]}. Shall I show you how to get there by hand?", pause=PAUSE)
    found = _SUM.search(_in_signs(now.said))
    has_operator = found is not None and any(sign in found.group() for sign in "+-*/")
    if found is not None and has_operator and not now.mentions("explain", "why"):
        return Line(calls=(("calculate", {"expression": found.group().strip()}),), pause=PAUSE)
    if now.mentions("thank", "bye"):
        return Line("You did well today. Until next time.", pause=PAUSE)
    return Line(LESSON, thought="Begin with something that can be seen: a pizza.", pause=PAUSE)


def _in_signs(said: str) -> str:
    """The words of a sum as signs, so that "3/4 plus 1/8" is one sum and not the first of two fractions."""
    for word, sign in _WORDS.items():
        said = said.replace(word, sign)
    return said
