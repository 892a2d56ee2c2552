"""A User-Agent header in the words of the person who reads "where you are signed in"."""

PROGRAMS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari", "curl": "curl"}
SYSTEMS = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def browser_words(agent_name: str) -> str:
    """Such as "Firefox on Linux"; the order above matters, since many programs name others as well."""
    program = next((word for sign, word in PROGRAMS.items() if sign in agent_name), "Another program")
    system = next((word for sign, word in SYSTEMS.items() if sign in agent_name), "")
    return f"{program} on {system}" if system else program
