"""Public ids: a prefix that names the kind, and 22 random characters (131 bits)."""

import secrets
import string

ALPHABET = string.digits + string.ascii_letters
LENGTH = 22


def new_public_id(prefix: str) -> str:
    """A fresh id such as `u_3kTq…`; the prefix includes its underscore."""
    number, letters = secrets.randbelow(len(ALPHABET) ** LENGTH), []
    for _ in range(LENGTH):
        number, rest = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[rest])
    return prefix + "".join(letters)


def new_user_id() -> str:
    return new_public_id("u_")


def new_project_id() -> str:
    return new_public_id("p_")


def new_token_id() -> str:
    return new_public_id("t_")


def new_session_id() -> str:
    return new_public_id("s_")


def new_rollout_id() -> str:
    return new_public_id("r_")


def new_event_id() -> str:
    return new_public_id("e_")


def new_connection_id() -> str:
    return new_public_id("m_")


def new_skill_id() -> str:
    return new_public_id("sk_")


def new_grant_id() -> str:
    return new_public_id("g_")


def new_secret_id() -> str:
    return new_public_id("k_")


def new_tool_id() -> str:
    return new_public_id("tl_")


def new_tool_source_id() -> str:
    return new_public_id("ts_")


def new_trigger_id() -> str:
    return new_public_id("tg_")
