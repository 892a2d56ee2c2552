"""Promise 1: an accepted event waits or is recorded, once."""

from collections import Counter
from collections.abc import Iterator

from django.db.backends.base.base import BaseDatabaseWrapper

from studio.verify.finding import Finding
from studio.verify.stored import StoredRollout, rows


def check_queue(connection: BaseDatabaseWrapper, rollout: StoredRollout) -> Iterator[Finding]:
    """The counts on the row are those of the queue; a rollout with something to do is found by who looks for it."""
    where = f"rollout {rollout.public_id}"
    waiting = rows(connection, "SELECT is_pressing FROM studio_pendingevent WHERE rollout_id = %s", rollout.pk)
    pressing = sum(bool(is_pressing) for (is_pressing,) in waiting)
    if (rollout.pending, rollout.pressing) != (len(waiting), pressing):
        sentence = f"it counts {rollout.pending} pending events ({rollout.pressing} pressing), but {len(waiting)} wait"
        yield Finding("queue", where, f"{sentence} ({pressing} pressing)")
    due_at = _due_at(rollout, len(waiting), pressing)
    if due_at is not None and rollout.due_at is None:
        yield Finding("queue", where, "it has something to do, but nobody would find it")
    elif due_at != rollout.due_at:
        yield Finding("queue", where, f"it is due at {due_at}, but would be found at {rollout.due_at}")


def _due_at(rollout: StoredRollout, waiting: int, pressing: int) -> int | None:
    """When it has something to do: 0 = now, None = nothing."""
    shown = rollout.projection
    retry_at = shown["waiting_until"] if shown["waiting_for"] == "model" else 0
    match shown["lifecycle"]:
        case "completed" | "cancelled":
            return shown["wake_at"] or None
        case "paused":
            return 0 if pressing else None
        case "running":
            return 0
        case _ if waiting:
            return 0
        case _:
            return min((at for at in (retry_at, shown["wake_at"]) if at), default=None)


def check_ids(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    """Ids of accepted events stand in one place; what a key promised is there."""
    recorded = rows(
        connection,
        "SELECT e.id FROM studio_event e JOIN studio_rollout r ON r.id = e.rollout_id WHERE e.id IS NOT NULL",
    )
    pending = rows(connection, "SELECT id FROM studio_pendingevent")
    places = Counter(id_ for (id_,) in (*recorded, *pending))
    for id_, count in places.items():
        if count > 1:
            yield Finding("accepted", f"event {id_}", f"it stands in {count} places")
    promised = "SELECT event_id FROM studio_acceptedkey WHERE event_id <> '' AND NOT is_withdrawn"
    for (id_,) in rows(connection, promised):
        if id_ not in places:
            yield Finding("accepted", f"event {id_}", "it was accepted, but it neither waits nor is recorded")


def check_erased(connection: BaseDatabaseWrapper) -> Iterator[Finding]:
    """Nothing is left of an erased session; the erasure switch is off."""
    for table in ("studio_event", "studio_pendingevent", "studio_artifact"):
        left = (
            f"SELECT DISTINCT s.public_id FROM {table} x JOIN studio_rollout r ON r.id = x.rollout_id "
            "JOIN studio_ampsession s ON s.id = r.session_id WHERE s.state = 'erased'"
        )
        for (public_id,) in rows(connection, left):
            yield Finding("erased", f"session {public_id}", f"it was erased, but {table} holds rows of it")
    if rows(connection, "SELECT 1 FROM studio_erasure"):
        yield Finding("erased", "the erasure switch", "it was left on, so events can be deleted")
