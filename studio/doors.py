"""The routes that answer without a login, each with its reason. Everything else is closed."""

OPEN_DOORS: dict[str, str] = {
    "sign-in": "the page where a person signs in",
    "sign-in-link": "the page that a one-time link opens; the link is the proof",
    "health": "monitors ask it; it says only whether the studio and its database work",
}
