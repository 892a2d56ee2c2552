"""Text that came back from a browser's text field, which knows neither CRLF nor a byte order mark."""

BOM = "\ufeff"


def as_written(typed: str, before: str) -> str:
    """What was typed, with the line ends and the byte order mark of the text that it was made from.

    A text that was not changed is given back exactly.
    """
    typed = as_typed(typed)
    if typed == as_typed(before):
        return before
    if before.count("\r\n") * 2 > before.count("\n"):
        typed = typed.replace("\n", "\r\n")
    return BOM + typed if before.startswith(BOM) else typed


def as_typed(text: str) -> str:
    """The text as a browser's text field holds it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").removeprefix(BOM)
