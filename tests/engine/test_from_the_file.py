"""An agent's text, bound as the studio binds it, acts as it says: the whole way from the page to the trajectory."""

from collections.abc import AsyncIterator

import pytest

from runtime.domain.apply import fold
from runtime.domain.events import ApprovalDecision, RolloutCancelled, UserInput, Verdict
from runtime.engine.binding import bind
from runtime.engine.change import project
from runtime.engine.executor import Executor
from runtime.engine.manager import Manager
from runtime.engine.shell import Shell
from runtime.ports import Claimed, NewRollout, RolloutInfo
from runtime.stores.in_process import InProcessStore
from runtime.tools.arguments import problem_with
from runtime.tools.registry import discover
from tests.builders import RecordingHub, RunningRollout, TestClock, started_event

HEAD = "name: desk\nmodel: scripted\n"
REGISTRY = discover()
STATES = """
tools: [current_time, {name: write_file, workspace: desk}]
states:
  initial: open
  variables: {order: {type: string}, hours: {type: integer, default: 1}}
  open:
    tools: [current_time]
    transitions:
      - {to: working, guard: 'vars.order != ""', set: {opened_at: now, hours: "=vars.hours * 2"}}
  working:
    tools: [write_file]
    transitions: [{to: settled, approval: vars.hours > 1}]
    max_stay: {after: 1h, to: settled}
  settled: {final: true}
"""


@pytest.fixture
async def from_file(model, tmp_path) -> AsyncIterator:
    """Starts the rollout of an agent file over the real tools, in a folder of its own."""
    managers = []

    async def begin(text: str) -> RunningRollout:
        agent = bind(HEAD + text, version=1, registry=REGISTRY, root=str(tmp_path))
        clock, hub = TestClock(), RecordingHub()
        store = InProcessStore(clock.now)
        executor = Executor(lambda name: REGISTRY.tool(name), store, clock)
        shell = Shell(store, hub, clock, model, executor, problem_with, linger_seconds=0.05)

        async def bound(claimed: Claimed):
            return agent

        managers.append(Manager(shell, bound, "worker"))
        started = started_event(agent, clock.now())
        info = RolloutInfo("r_1", "s_1", "p_1", agent.name, 1, "")
        await store.create(NewRollout(info, started, project(fold([started]), agent)))
        await managers[-1].start()
        return RunningRollout(store, managers[-1], model, agent, hub, clock)

    yield begin
    for manager in managers:
        await manager.stop()


def statuses(rollout: RunningRollout) -> dict[str, str]:
    return {result.call_id: str(result.status) for result in rollout.payloads("tool.result")}


async def test_a_condition_over_the_arguments_decides_who_is_asked(from_file, model, tmp_path):
    (tmp_path / "desk").mkdir()
    rollout = await from_file(
        "tools: [{name: write_file, workspace: desk, approval: args.path != 'notes.md', approvers: [supervisors]}]\n"
    )
    model.calls(
        ("write_file", {"path": "notes.md", "content": "a"}), ("write_file", {"path": "other.md", "content": "b"})
    )
    await rollout.receive(UserInput(content="write"))

    (asked,) = rollout.payloads("approval.request")
    assert (asked.call_id, asked.approvers) == ("0.1", ("supervisors",))
    assert [path.name for path in (tmp_path / "desk").iterdir()] == ["notes.md"]

    await rollout.receive(ApprovalDecision(call_id="0.1", verdict=Verdict.APPROVE, by="Priya"))
    assert (tmp_path / "desk" / "other.md").read_text() == "b"


async def test_the_states_of_the_file_guard_moves_close_tools_and_ask(from_file, model, tmp_path):
    (tmp_path / "desk").mkdir()
    rollout = await from_file(STATES)
    model.calls(("update_rollout_state", {"to": "working"}), ("write_file", {"path": "a", "content": "a"}))
    await rollout.receive(UserInput(content="go"))

    (refused,) = rollout.payloads("state.update")
    assert not refused.accepted
    assert "`vars.order` has no value" in refused.error
    assert statuses(rollout) == {"0.1": "error"}

    model.calls(
        ("write_file", {"path": "a", "content": "a"}),
        ("update_rollout_state", {"to": "working", "set": {"order": "R-1"}, "reason": "known"}),
    )
    await rollout.receive(UserInput(content="again"))
    moved = rollout.payloads("state.update")[-1]
    assert (moved.accepted, moved.to_state, moved.set["order"], moved.set["hours"]) == (True, "working", "R-1", 2)
    assert (tmp_path / "desk" / "a").read_text() == "a"
    assert "State: working." in str(model.requests[-1].messages[-1])

    model.calls(("update_rollout_state", {"to": "settled"}))
    await rollout.receive(UserInput(content="settle"))
    assert rollout.payloads("approval.request")[-1].to_state == "settled"
    assert rollout.state.dealings.business.name == "working"


async def test_arguments_of_the_frameworks_calls_are_checked_by_their_schema(from_file, model):
    rollout = await from_file(STATES)
    model.calls(
        ("update_rollout_state", {"to": "nowhere"}),
        ("update_rollout_state", {"to": "working", "set": {"hours": "two"}}),
        ("set_timer", {"after_seconds": 60}),
        ("set_timer", {"after_seconds": 60, "note": "look", "every": "1d", "timezone": "Europe/Berln"}),
        ("escalate", {"reason": "stuck", "severity": "terrible"}),
    )
    await rollout.receive(UserInput(content="go"))

    results = {result.call_id: result.content for result in rollout.payloads("tool.result")}
    assert [call for call in ("0.0", "0.1", "0.2", "0.4") if "it did not run" not in results[call]] == []
    assert "Did you mean `Europe/Berlin`?" in results["0.3"]
    assert rollout.payloads("timer.set") == []


async def test_a_fallback_of_the_file_runs_with_the_same_arguments(from_file, model, tmp_path):
    (tmp_path / "desk").mkdir()
    rollout = await from_file("tools: [{name: delete_file, workspace: desk, retries: 0, fallback: read_file}]\n")
    model.calls(("delete_file", {"path": "missing.md"}))
    await rollout.receive(UserInput(content="go"))

    assert [started.tool for started in rollout.payloads("tool.started") if started.role == "fallback"] == ["read_file"]
    assert "read_file" not in [tool["name"] for tool in model.requests[0].tools]


async def test_a_rollback_of_the_file_runs_when_the_rollout_is_cancelled(from_file, model, tmp_path):
    (tmp_path / "desk").mkdir()
    rollout = await from_file("tools: [{name: make_directory, workspace: desk, rollback: list_directory}]\n")
    model.calls(("make_directory", {"path": "made"}))
    await rollout.receive(UserInput(content="go"))
    await rollout.receive(RolloutCancelled(by="Maya"))

    assert [started.tool for started in rollout.payloads("tool.started") if started.role == "rollback"] == [
        "list_directory"
    ]


async def test_the_longest_stay_of_the_file_moves_by_itself(from_file, model):
    rollout = await from_file(STATES)
    model.calls(("update_rollout_state", {"to": "working", "set": {"order": "R-1"}}))
    await rollout.receive(UserInput(content="go"))
    await rollout.until(lambda: rollout.manager.running == 0)
    rollout.clock.pass_(3601)
    await rollout.until(lambda: rollout.lifecycle == "completed")

    assert rollout.payloads("state.update")[-1].to_state == "settled"
