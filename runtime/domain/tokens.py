"""How many tokens a text is taken to be, without a network and without a provider's own tables."""

PUNCTUATION = '{}[]()":,'
"""Where JSON and code break up; each is about a token of its own."""
LETTERS_PER_TOKEN = 4.4
TOKENS_PER_EXTRA_BYTE = 0.7  # UTF-8 beyond one byte a character: Cyrillic 0.66, Chinese 0.63, emoji 0.9


def tokens_of(text: str) -> int:
    """An estimate, within a quarter of what cl100k_base makes of prose, code and JSON."""
    extra = 0 if text.isascii() else len(text.encode(errors="replace")) - len(text)
    marks = sum(map(text.count, PUNCTUATION))
    letters = max(0, len(text) - marks - extra)
    return int(letters / LETTERS_PER_TOKEN + marks + TOKENS_PER_EXTRA_BYTE * extra) + 1
