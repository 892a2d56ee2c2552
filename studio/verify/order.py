"""Promise 2: seq and pos are gapless, and no event was changed."""

import hashlib
import json
from collections.abc import Iterator, Sequence

from studio.verify.finding import Finding
from studio.verify.stored import StoredEvent, StoredRollout, StoredSession

FIRST = bytes(32)


def check_seq(rollout: StoredRollout) -> Iterator[Finding]:
    """1, 2, 3 … up to `next_seq` - 1."""
    for expected, event in enumerate(rollout.events, start=1):
        if event.seq != expected:
            yield Finding("seq", _at(rollout, event), f"seq {expected} is missing before it")
            return
    if rollout.next_seq != len(rollout.events) + 1:
        sentence = f"its next seq is {rollout.next_seq}, but it has {len(rollout.events)} events"
        yield Finding("seq", f"rollout {rollout.public_id}", sentence)


def check_pos(session: StoredSession, rollouts: Sequence[StoredRollout]) -> Iterator[Finding]:
    """1, 2, 3 … up to `next_pos` - 1 over all rollouts of the session, rising with seq in each."""
    where = f"session {session.public_id}"
    positions = sorted(event.pos for rollout in rollouts for event in rollout.events)
    for expected, pos in enumerate(positions, start=1):
        if pos != expected:
            yield Finding("pos", where, f"pos {expected} is missing or taken twice (found {pos})")
            break
    if session.next_pos != len(positions) + 1:
        yield Finding("pos", where, f"its next pos is {session.next_pos}, but it has {len(positions)} events")
    for rollout in rollouts:
        for before, event in zip(rollout.events, rollout.events[1:], strict=False):
            if event.pos <= before.pos:
                yield Finding("pos", _at(rollout, event), f"pos {event.pos} is not after {before.pos}")
                break


def check_chain(rollout: StoredRollout) -> Iterator[Finding]:
    """Each event carries the hash of the one before; the row carries that of the last."""
    previous = FIRST
    for event in rollout.events:
        if event.previous != previous:
            yield Finding("chain", _at(rollout, event), "it does not carry the hash of the one before: one was changed")
            return
        previous = _sha256(event)
    if rollout.last_sha256 != previous:
        yield Finding("chain", f"rollout {rollout.public_id}", "its last event is not the one that was recorded")


def _sha256(event: StoredEvent) -> bytes:
    named = (
        event.seq,
        event.type,
        event.v,
        event.source,
        event.at,
        event.received_at,
        "" if event.step is None else event.step,
        "" if event.cause is None else event.cause,
        event.id,
    )
    head = "".join(f"{value}\n" for value in named)
    return hashlib.sha256(event.previous + head.encode() + event.text.encode()).digest()


def check_times(rollout: StoredRollout) -> Iterator[Finding]:
    """`at` never goes back; nothing is recorded before it was accepted."""
    latest = 0
    for event in rollout.events:
        if event.at < latest:
            yield Finding("times", _at(rollout, event), "it was recorded before the event before it")
            return
        latest = event.at


def check_payloads(rollout: StoredRollout) -> Iterator[Finding]:
    """Types are known, payloads are JSON objects, and the large texts that they name are there."""
    for event in rollout.events:
        if event.type.startswith("unknown"):
            yield Finding("payload", _at(rollout, event), f"{event.type} is not known")
            return
        if not _is_object(event.text):
            yield Finding("payload", _at(rollout, event), "its payload is no JSON object")
            return
        lost = [file["id"] for file in event.get("files", []) if file["id"] not in rollout.artifacts]
        if lost:
            yield Finding("payload", _at(rollout, event), f"its file {lost[0]} is not there")
            return
        artifact = event.get("artifact")
        if isinstance(artifact, dict) and artifact.get("id") not in rollout.artifacts:
            yield Finding("payload", _at(rollout, event), f"its large text {artifact.get('id')} is not there")
            return
    if rollout.events and rollout.events[0].type != "rollout.started":
        yield Finding("payload", _at(rollout, rollout.events[0]), "a trajectory begins with rollout.started")


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _at(rollout: StoredRollout, event: StoredEvent) -> str:
    return f"rollout {rollout.public_id} event {event.seq}"
