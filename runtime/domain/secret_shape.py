"""What looks like a key, a token or a password in a text. Nothing here ever repeats the value."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_SHAPES = (
    ("a private key", re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----")),
    ("an AWS access key", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")),
    ("a GitHub token", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_[A-Za-z0-9_]{20,}")),
    ("a GitLab token", re.compile(r"\bglpat-[A-Za-z0-9_-]{16,}")),
    ("a Slack token", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}")),
    ("a Google key", re.compile(r"\bAIza[A-Za-z0-9_-]{35}")),
    ("a Hugging Face token", re.compile(r"\bhf_[A-Za-z0-9]{20,}")),
    ("a webhook secret", re.compile(r"\bwhsec_[A-Za-z0-9+/=_-]{10,}")),
    ("a signed token", re.compile(r"\beyJ[A-Za-z0-9_-]{8,500}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]*")),
    ("an API key", re.compile(r"\b[sr]k[-_](?=[A-Za-z0-9_-]{0,60}[0-9])[A-Za-z0-9_-]{16,}")),
    ("a bearer token", re.compile(r"\b[Bb]earer\s{1,8}(?=[A-Za-z._~+/=-]{0,60}[0-9])[A-Za-z0-9._~+/=-]{16,}")),
    ("a password in an address", re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,100}:(?![{$<])[^\s/@]{3,200}@")),
    (
        "a key in an address",
        re.compile(
            r"[?&](?:api[_-]?key|key|token|access_token|secret|password)=(?![{$<])[A-Za-z0-9._~+/%-]{12,}", re.I
        ),
    ),
)
_SHORTEST = 9  # a://:abc@ is the shortest text that any of them fits
_KEYISH = re.compile(
    r"(?:^|[_.-])(?:api[_-]?key|access[_-]?key|private[_-]?key|key|token|secret|password|passwd|passphrase"
    r"|authorization|credentials?|bearer)$",
    re.I,
)
_REFERENCE = re.compile(r"[A-Z][A-Z0-9_]{0,63}|[$<{].*")
_WORD = re.compile(r"[^\s]{16,}")
_ENTROPY_BITS = 3.2  # per character: English words of this length stay below, random text is above


@dataclass(frozen=True, slots=True)
class SecretShape:
    """text[start:end] looks like `kind`."""

    start: int
    end: int
    kind: str


def secret_shapes(text: str) -> Iterator[SecretShape]:
    """Every part of a text that looks like a secret, in order, none over another."""
    if len(text) < _SHORTEST:
        return
    found = sorted(
        (SecretShape(match.start(), match.end(), kind) for kind, shape in _SHAPES for match in shape.finditer(text)),
        key=lambda shape: shape.start,
    )
    end = -1
    for shape in found:
        if shape.start >= end:
            yield shape
        end = max(end, shape.end)


def is_secret_value(key: str, value: str) -> bool:
    """Whether the value of a field named like `api_key` or `token` is itself a key and not the name of one."""
    if not _KEYISH.search(key) or _REFERENCE.fullmatch(value) or not _WORD.fullmatch(value):
        return False
    has_both = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return has_both and _entropy(value) >= _ENTROPY_BITS


def _entropy(value: str) -> float:
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)
