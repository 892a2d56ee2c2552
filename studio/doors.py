"""The routes that answer without a login, each with its reason. Everything else is closed."""

OPEN_DOORS: dict[str, str] = {
    "sign-in": "the page where a person signs in",
    "sign-in-link": "the page that a one-time link opens; the link is the proof",
    "hook": "other systems tell what happened; each request is signed with the secret of its webhook",
    "health": "monitors ask it; it says only whether the studio and its database work",
}

COOKIELESS: frozenset[str] = frozenset({"hook"})
"""Open doors that look at no cookie, so that another site's form gains nothing there: they need no CSRF token."""
