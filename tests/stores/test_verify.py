"""The checker finds what was broken on purpose: each test changes a healthy database by plain SQL."""

import asyncio

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from runtime.domain.events import (
    AgentOutput,
    AgentThought,
    StepCompleted,
    StepStarted,
    ToolRequest,
    ToolResult,
    ToolStarted,
    UserInput,
)
from runtime.domain.trajectory import AGENT, Draft
from studio.models import AmpSession, AuditEntry
from studio.store import DjangoStore, EraseSession
from studio.verify import verify
from tests.stores.builders import Owner, arrival, new_rollout

STARTED = StepStarted(model="m", seen=2, prompt_sha256="0" * 64)
DONE = StepCompleted(tokens_in=10, tokens_out=5, cost_usd=0.001)


async def _one_turn(store, clock):
    """A message, a tool call, its result, the answer; and a message that waits."""
    await store.create(new_rollout())
    await store.accept(arrival(UserInput(content="pay it", name="Maya"), id="e_a", key="k1", sender="u_maya"))
    owner = Owner(store, await store.claim("r_1", "worker"), clock)
    await owner.take()
    request = Draft(ToolRequest(call_id="0.0", tool="pay", args={"amount": 60}), AGENT, step=0)
    await owner.record(Draft(STARTED, step=0))
    await owner.record(Draft(AgentThought(content="I pay."), AGENT, step=0), request, Draft(DONE, step=0))
    await owner.record(Draft(ToolStarted(call_id="0.0"), step=0, cause=5))
    await owner.record(Draft(ToolResult(call_id="0.0", content="paid"), step=0, cause=5))
    await owner.record(Draft(STARTED.model_copy(update={"seen": 8}), step=1))
    await owner.record(Draft(AgentOutput(content="It is paid."), AGENT, step=1), Draft(DONE, step=1))


@pytest.fixture
def healthy(writer, clock):
    asyncio.run(_one_turn(DjangoStore(writer), clock))
    assert verify(connection, once={"pay"}) == []


@pytest.fixture
def change(healthy):
    """Runs SQL with the triggers dropped, as somebody with the file in hand could."""

    def run(sql: str, *parameters: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = cursor.fetchall()
            for name, _ in triggers:
                cursor.execute(f"DROP TRIGGER {name}")
            cursor.execute("PRAGMA foreign_keys = OFF")
            cursor.execute(sql, parameters)
            cursor.execute("PRAGMA foreign_keys = ON")
            for _, definition in triggers:
                cursor.execute(definition)

    return run


def checks() -> set[str]:
    return {finding.check for finding in verify(connection, once={"pay"})}


COPY = (
    "INSERT INTO studio_event "
    "(rollout_id, seq, pos, type, v, payload, at, received_at, source, step, cause, id, previous) "
    "SELECT rollout_id, {seq}, {seq}, type, v, payload, at, received_at, source, step, cause, {id}, previous "
    "FROM studio_event WHERE seq = {original}"
)


def copy(original: int, *, id_: str = "NULL") -> str:
    """SQL that repeats an event at the end of the trajectory."""
    return COPY.format(seq=12, original=original, id=id_)


@pytest.mark.parametrize(
    ("sql", "check"),
    [
        ("DELETE FROM studio_event WHERE seq = 4", "seq"),
        ("UPDATE studio_rollout SET next_seq = 99", "seq"),
        ("UPDATE studio_event SET pos = 40 WHERE seq = 11", "pos"),
        ("UPDATE studio_ampsession SET next_pos = 99 WHERE public_id = 's_1'", "pos"),
        ('UPDATE studio_event SET payload = \'{"content":"pay them"}\' WHERE seq = 2', "chain"),
        ("UPDATE studio_event SET source = 'u_other' WHERE seq = 2", "chain"),
        ('UPDATE studio_event SET payload = \'{"content":"It is not paid."}\' WHERE seq = 10', "chain"),
        ("UPDATE studio_rollout SET last_sha256 = x'00'", "chain"),
        ("UPDATE studio_event SET at = 1 WHERE seq = 5", "times"),
        ("UPDATE studio_event SET payload = 'not JSON' WHERE seq = 2", "payload"),
        ("UPDATE studio_event SET type = 9999 WHERE seq = 4", "payload"),
        ('UPDATE studio_event SET payload = \'{"artifact":{"id":"a_9","characters":9}}\' WHERE seq = 2', "payload"),
        (copy(6), "steps"),
        (copy(3), "steps"),
        ("DELETE FROM studio_event WHERE seq = 9", "steps"),
        ("DELETE FROM studio_event WHERE seq = 11", "steps"),
        ("UPDATE studio_event SET step = 1 WHERE seq = 4", "steps"),
        (copy(8), "calls"),
        (copy(7), "calls"),
        ("DELETE FROM studio_event WHERE seq = 5", "calls"),
        ('UPDATE studio_event SET payload = \'{"call_id":"0.1"}\' WHERE seq = 8', "calls"),
        ("UPDATE studio_event SET type = 21 WHERE seq = 8", "calls"),
        (copy(2, id_="'e_z'"), "waking"),
        ("UPDATE studio_rollout SET pending = 3", "queue"),
        ("UPDATE studio_rollout SET lifecycle = 'running'", "queue"),
        (copy(2, id_="'e_a'"), "accepted"),
        ("UPDATE studio_event SET id = 'e_other' WHERE seq = 2", "accepted"),
        ("INSERT INTO studio_erasure (session_id) SELECT id FROM studio_ampsession WHERE public_id = 's_1'", "erased"),
        ("UPDATE studio_ampsession SET state = 'erased' WHERE public_id = 's_1'", "erased"),
        ("UPDATE studio_rollout SET tokens_out = 1", "projection"),
        ("UPDATE studio_rollout SET cost_usd = 0.5", "projection"),
        ("UPDATE studio_rollout SET events = 1", "projection"),
        ("UPDATE studio_rollout SET last_text = 'else'", "projection"),
        ("UPDATE studio_rollout SET tape = 'xxx'", "projection"),
        ("UPDATE studio_rollout SET lifecycle = 'failed'", "projection"),
        ("UPDATE studio_rollout SET business_state = 'paid'", "projection"),
        ("UPDATE studio_rollout SET reserved_tokens = 7", "projection"),
        ("UPDATE studio_rollout SET due_at = 5", "queue"),
        ("UPDATE studio_rollout SET wake_at = 5", "queue"),
        ("UPDATE studio_rollout SET tree_tokens = 1", "tree"),
        ("UPDATE studio_rollout SET tree_usd = 0.5", "tree"),
        ("UPDATE studio_rollout SET root_id = id, parent_id = id", "tree"),
    ],
)
def test_what_was_broken_is_found(change, sql, check):
    change(sql)

    assert check in checks()


def test_a_second_attempt_of_a_write_that_nobody_was_asked_about_is_found(change):
    change('UPDATE studio_event SET type = 93, payload = \'{"call_id":"0.0","attempt":2}\' WHERE seq = 8')

    sentences = [finding.sentence for finding in verify(connection, once={"pay"}) if finding.check == "calls"]

    assert sentences[0] == "call 0.0 (pay) is begun for the second time, and nobody was asked"


def test_an_audit_entry_that_was_changed_is_found(healthy):
    AuditEntry.objects.create(
        at=timezone.now(), who="priya", origin="terminal", action="test", previous="0" * 64, sha256="1" * 64
    )

    assert checks() == {"audit"}


def test_nothing_is_wrong_after_a_session_was_erased(healthy, writer):
    writer.call(EraseSession("s_1"))

    assert verify(connection) == []
    assert AmpSession.objects.get(public_id="s_1").state == "erased"


def test_the_command_says_that_all_holds(healthy, capsys):
    call_command("verify")

    assert capsys.readouterr().out == "Everything holds.\n"


def test_the_command_names_the_first_bad_row_and_fails(change, capsys):
    change("UPDATE studio_event SET source = 'u_other' WHERE seq = 2")

    with pytest.raises(SystemExit, match="1"):
        call_command("verify")

    assert "chain: rollout r_1 event 3: " in capsys.readouterr().out
