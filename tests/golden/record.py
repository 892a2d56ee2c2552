"""`python -m tests.golden.record FILE`: plays the refund story on a new studio, and writes down what was stored."""

import os
import sys
import tempfile
from pathlib import Path

import django
from django.db.backends.base.base import BaseDatabaseWrapper

from tests.golden.golden_story import GoldenEvent, GoldenRollout, GoldenStory, outcome


def main() -> None:
    """Refuses to write over a file that is there."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    target = Path(sys.argv[1])
    if target.exists():
        sys.exit(f"{target} is there. A golden file is never written over: give the new one another name.")
    with tempfile.TemporaryDirectory() as folder:
        _played(Path(folder)).write(target)


def _played(data: Path) -> GoldenStory:
    from tests.acceptance.checking import check_database, opened
    from tests.acceptance.refund_story import two_people
    from tests.server import StudioServer

    server = StudioServer(data).start(first_run=True)
    try:
        two_people(server).tell()
    finally:
        server.stop()
    check_database(data)
    with opened(data) as connection:
        return stored_story(connection)


def stored_story(connection: BaseDatabaseWrapper) -> GoldenStory:
    """The only session of that database."""
    from studio.verify.stored import StoredRollout, rollouts, rows, sessions

    (session,) = sessions(connection)
    stored = list(rollouts(connection, session.pk))
    pins = dict(rows(connection, "SELECT sha256, text FROM studio_pin"))
    names = {row.pk: row.public_id for row in stored}

    def golden(row: StoredRollout) -> GoldenRollout:
        started, events = row.events[0], [event.restored() for event in _events(row)]
        pinned = pins.get(started.get("tools_sha256", ""))
        parent = names.get(row.parent_pk or 0, "")
        head = (row.public_id, parent, started.get("agent"), started.get("agent_version"), row.agent_text, pinned)
        bare = GoldenRollout(*head, projection={}, final={})
        return GoldenRollout(*head, *outcome(events, bare.bound()))

    events = sorted((event for row in stored for event in _events(row)), key=lambda event: event.pos)
    return GoldenStory([golden(row) for row in stored], events)


def _events(rollout) -> list[GoldenEvent]:
    """The rows of a rollout; the hash of each is what the next one carries, and the last one's stands in its row."""
    following = [event.previous for event in rollout.events[1:]] + [rollout.last_sha256]
    return [
        GoldenEvent(
            rollout=rollout.public_id,
            previous=event.previous.hex(),
            sha256=sha256.hex(),
            **{name: getattr(event, name) for name in ("pos", "seq", "type", "v", "source", "step", "cause", "id")},
            **{name: getattr(event, name) for name in ("at", "received_at", "text")},
        )
        for event, sha256 in zip(rollout.events, following, strict=True)
    ]


if __name__ == "__main__":
    main()
