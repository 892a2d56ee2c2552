"""Numbers as people read them: `1m 52s`, `$18.40`, `95.4%`."""

from django import template

register = template.Library()


@register.filter
def duration(seconds: float | None) -> str:
    """`0.4s`, `14s`, `1m 52s`, `2h 05m`, `3d 4h`; nothing for None."""
    if seconds is None:
        return ""
    if seconds < 10:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    if whole < 86400:
        return f"{whole // 3600}h {whole % 3600 // 60:02}m"
    return f"{whole // 86400}d {whole % 86400 // 3600}h"


@register.filter
def usd(amount: float | None) -> str:
    """Money to the cent; small amounts to a hundredth of a cent."""
    if amount is None:
        return ""
    return f"${amount:,.4f}" if 0 < amount < 0.01 else f"${amount:,.2f}"


@register.filter
def percent(share: float | None) -> str:
    """`95.4%`; whole hundreds without a point; nothing for None."""
    if share is None:
        return ""
    return "100%" if share == 100 else f"{share:.1f}%"


@register.filter
def letters(name: str) -> str:
    """Two letters for the square of an agent: `refund-desk` is Rd, `clerk` is Cl."""
    words = [word for word in name.replace("_", "-").split("-") if word]
    if not words:
        return "?"
    second = words[1][0] if len(words) > 1 else words[0][1:2]
    return words[0][0].upper() + second.lower()


@register.filter
def tokens(text: str) -> str:
    """About how many tokens a text has, at four characters a token: `about 412 tokens`; nothing for no text."""
    count = (len(text) + 3) // 4
    said = f"{count / 1000:.1f}k" if count >= 10_000 else str(count)
    return f"about {said} tokens" if count else ""


@register.filter
def words(text: str) -> list[str]:
    """The words of a text, to loop over a few fixed ones."""
    return text.split()
