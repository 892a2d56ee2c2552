"""Idempotency keys: good once per sender and route, for one body."""

import hashlib
from dataclasses import dataclass

from runtime.ports import KeyReused
from studio.store.batch import Batch, KeyRow

DIGEST_BYTES = 16
KEPT_MICROSECONDS = 7 * 24 * 3600 * 1_000_000


@dataclass(frozen=True, slots=True)
class KeyUse:
    """A key as its sender used it. Without a key nothing is remembered."""

    sender: str = ""
    route: str = ""
    key: str = ""
    body_sha256: str = ""

    @property
    def digest(self) -> bytes:
        """Of sender, route and key; empty without a key."""
        return _digest(self.sender, self.route, self.key) if self.key else b""

    @property
    def body(self) -> bytes:
        return _digest(self.body_sha256)


NO_KEY = KeyUse()


def used_before(batch: Batch, use: KeyUse) -> KeyRow | None:
    """What the key gave the first time. Raises KeyReused if the body was another."""
    first = batch.keys.get(use.digest)
    if first is not None and first.body != use.body:
        raise KeyReused
    return first


@dataclass(frozen=True, slots=True)
class ForgetKeys:
    """Forgets idempotency keys that were used before that time (microseconds); how many there were."""

    before: int

    def run(self, batch: Batch) -> int:
        return batch.sql.execute("DELETE FROM studio_acceptedkey WHERE at < %s", [self.before])


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode()).digest()[:DIGEST_BYTES]
