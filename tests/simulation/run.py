"""A whole run of one seed: a while of chance, then rest, then the check of what is left behind."""

from dataclasses import dataclass

from runtime.domain.decide import decide
from runtime.domain.effects import RunTool
from runtime.domain.events import ApprovalDecision, ResumeReason, RolloutCancelled, RolloutResumed, UserInput, Verdict
from tests.simulation.cast import PEOPLE, SUPERVISOR
from tests.simulation.people import act, answer, asked_of_people, questions
from tests.simulation.promises import faults_of
from tests.simulation.virtual_time import VirtualLoop, run_in_virtual_time
from tests.simulation.world import ROOT, World

ACTS = (5, 80)
ROUNDS_TO_REST = 80


@dataclass(frozen=True, slots=True)
class Outcome:
    """`story`: every event of every rollout, by its hash; `faults`: what was broken."""

    seed: int
    story: tuple[tuple[str, str, str], ...]
    faults: tuple[str, ...]


def play(seed: int) -> Outcome:
    """The same for the same seed, always."""
    return run_in_virtual_time(lambda loop: _play(loop, seed))


async def _play(loop: VirtualLoop, seed: int) -> Outcome:
    world = World(loop, seed)
    await world.begin()
    try:
        await world.post(ROOT, UserInput(content="My order is late."), PEOPLE[0])
        for _ in range(world.chance.randint(*ACTS)):
            await world.let_pass(world.chance.choice((0, 0, 0.003, 0.3, 1, 5)))
            await act(world)
            if world.faults:
                break
        if not world.faults:
            await come_to_rest(world)
        if not world.faults and world.chance.random() < 0.4:
            await world.post(ROOT, RolloutCancelled(by="Olga"), SUPERVISOR)
            await come_to_rest(world)
        for worker in world.living:
            await worker.manager.stop()
    finally:
        world.end()
    faults = world.faults or faults_of(world)
    rows = world.store.rows.items()
    story = tuple((id, event.type, event.sha256.hex()) for id, row in rows for event in row.events)
    return Outcome(seed, story, tuple(faults))


async def come_to_rest(world: World) -> None:
    """Nothing goes wrong any more, people answer everything, and the model only speaks."""
    world.is_calm = world.model.is_calm = True
    for worker in world.living:
        worker.thaw()
    if not world.living:
        await world.add_worker()
    for _ in range(ROUNDS_TO_REST):
        await world.let_pass(3)
        if world.faults:
            return
        if not await _help(world) and not _busy(world):
            return
    world.faults.append(f"it does not come to rest: {_busy(world)}")


async def _help(world: World) -> int:
    """Answers all that anybody waits for; how much that was."""
    helped = 0
    for rollout, call in questions(world):
        verdict = Verdict.DENY if call.is_gated else Verdict.SKIP
        await world.post(rollout, ApprovalDecision(call_id=call.id, verdict=verdict, by="Olga"), SUPERVISOR)
        helped += 1
    for rollout, call in asked_of_people(world):
        await answer(world, rollout, call)
        helped += 1
    for rollout, state in list(world.store.states.items()):
        if state.ended or not (state.paused or state.failed) or "does not fit" in state.failed:
            continue  # what the model cannot read is no shorter the next time
        reason = ResumeReason.RETRY if state.failed else ResumeReason.RESUME
        limits = {"budget.tokens": 10_000_000.0}
        await world.post(ROOT, RolloutResumed(by="Olga", reason=ResumeReason.LIMIT, limits=limits), SUPERVISOR)
        await world.post(rollout, RolloutResumed(by="Olga", reason=reason), SUPERVISOR)
        helped += 1
    return helped


def _busy(world: World) -> list[str]:
    """The rollouts that have something to do now, with what that is."""
    found = []
    for id, state in world.store.states.items():
        wanted = [
            effect
            for effect in decide(state, world.store.agent_of(id))
            if not (isinstance(effect, RunTool) and not effect.begin)
        ]
        pending = world.store.rows[id].pending
        if wanted or (pending and not state.paused):
            found.append(f"{id}: {[effect.key for effect in wanted]}, {len(pending)} pending")
    return found
