"""How a webhook proves who sent it: HMAC-SHA256 over its id, its time and its body, as standardwebhooks.com has it.

The headers are `Webhook-Id`, `Webhook-Timestamp` (seconds since 1970) and `Webhook-Signature` (`v1,` and the base64 of
the HMAC over `ID.TIMESTAMP.BODY`; several with blanks between them, while a secret is being replaced).
"""

import base64
import binascii
import hashlib
import hmac
import re
from dataclasses import dataclass

from studio.errors import StudioError

TOLERANCE_SECONDS = 300
MOST_SIGNATURES = 10
ID = re.compile(r"[A-Za-z0-9_.:-]{1,200}")
ENCODED = "whsec_"


class NotSigned(StudioError):
    """Nobody knows who sent it; holds its own sentence."""

    status = 403

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class Signed:
    """The three headers of a request, as they were sent."""

    id: str
    timestamp: str
    signature: str


def sign(secret: str, sender_id: str, timestamp: int, body: bytes) -> Signed:
    """The headers for a body that is sent at `timestamp` (seconds since 1970)."""
    return Signed(sender_id, str(timestamp), f"v1,{_mac(secret, sender_id, str(timestamp), body)}")


def must_be_signed(secret: str, signed: Signed, body: bytes, now_seconds: int) -> None:
    """Raises NotSigned unless the headers fit the body, and the time is within five minutes of now."""
    if not ID.fullmatch(signed.id):
        raise NotSigned("The header Webhook-Id is missing or is no id. Give each delivery one of its own.")
    if not (signed.timestamp.isascii() and signed.timestamp.isdecimal()) or len(signed.timestamp) > 12:
        raise NotSigned("The header Webhook-Timestamp is missing or is no time. Send seconds since 1970.")
    expected = _mac(secret, signed.id, signed.timestamp, body).encode()
    given = [part.removeprefix("v1,") for part in signed.signature.split(" ") if part.startswith("v1,")]
    fits = [hmac.compare_digest(expected, part.encode(errors="replace")) for part in given[:MOST_SIGNATURES]]
    if not any(fits):
        raise NotSigned("The signature does not fit. Sign ID.TIMESTAMP.BODY with the webhook's secret.")
    if abs(now_seconds - int(signed.timestamp)) > TOLERANCE_SECONDS:
        raise NotSigned("The time in Webhook-Timestamp is more than 5 minutes off. Set the sender's clock, sign anew.")


def _mac(secret: str, sender_id: str, timestamp: str, body: bytes) -> str:
    signed = b"%b.%b.%b" % (sender_id.encode(), timestamp.encode(), body)
    return base64.b64encode(hmac.digest(_key(secret), signed, hashlib.sha256)).decode()


def _key(secret: str) -> bytes:
    """A secret that begins with `whsec_` is base64 of the key; another is the key itself."""
    if secret.startswith(ENCODED):
        try:
            return base64.b64decode(secret.removeprefix(ENCODED), validate=True)
        except binascii.Error:
            pass
    return secret.encode()
