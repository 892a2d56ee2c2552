"""What people, other programs and bad luck do to a run, by chance."""

from collections.abc import Awaitable, Callable

from runtime.domain.arguments import args_sha256
from runtime.domain.events import (
    AgentOutput,
    ApprovalDecision,
    ExternalTrigger,
    FormAnswer,
    ResumeReason,
    RolloutCancelled,
    RolloutCompleted,
    RolloutPaused,
    RolloutResumed,
    StateUpdate,
    SupervisorInstruction,
    UserInput,
    UserInterrupt,
    Verdict,
)
from runtime.domain.facts import StandingGrant
from runtime.domain.state import Call
from tests.simulation.cast import PEOPLE, SUPERVISOR
from tests.simulation.world import ROOT, World

Act = Callable[[World], Awaitable[None]]


async def act(world: World) -> None:
    """One thing, drawn by its weight."""
    acts, weights = list(ACTS), list(ACTS.values())
    [chosen] = world.chance.choices(acts, weights)
    await chosen(world)


async def _says(world: World) -> None:
    rollout = world.any_rollout()
    chance = world.chance
    said = UserInput(content=chance.choice(("Go on.", "Where is it?", "Stop that, 한국어")), now=chance.random() < 0.2)
    source, key = chance.choice(PEOPLE), f"k{chance.randrange(10**9)}"
    first = await world.post(rollout, said, source, key=key)
    if first and chance.random() < 0.2 and await world.post(rollout, said, source, key=key) != first:
        world.faults.append("the same key is accepted twice")


async def _stops(world: World) -> None:
    chance, rollout = world.chance, world.any_rollout()
    calls = world.state(rollout).open_calls
    call_id = chance.choice(calls).id if calls and chance.random() < 0.3 else ""
    content = chance.choice(("", "", "Something else first."))
    stop = UserInterrupt(content=content, call_id=call_id, respond=chance.random() < 0.5)
    await world.post(rollout, stop, chance.choice(PEOPLE))


async def _instructs(world: World) -> None:
    order = SupervisorInstruction(content="Be quick.", by="Olga", queued=world.chance.random() < 0.5)
    await world.post(world.any_rollout(), order, SUPERVISOR)


async def _triggers(world: World) -> None:
    what = ExternalTrigger(trigger="webhook", body={"order": 1}, urgent=world.chance.random() < 0.3)
    await world.post(world.any_rollout(), what, "system")


async def _decides(world: World) -> None:
    """About any question, sometimes twice, sometimes as nobody should."""
    asked = questions(world)
    if not asked:
        return
    chance = world.chance
    rollout, call = chance.choice(asked)
    decision = _decision(world, call)
    for _ in range(chance.choice((1, 1, 1, 2))):
        await world.post(rollout, decision, chance.choice((*PEOPLE, SUPERVISOR)))
    if chance.random() < 0.15 and call.is_gated:
        world.store.grants.append(_standing(world, call))


def _standing(world: World, call: Call) -> StandingGrant:
    """For the tool, or for calls with the same value of one argument."""
    id = f"g_{world.chance.randrange(10**6)}"
    if not call.args or world.chance.random() < 0.5:
        return StandingGrant(id, call.tool, "Olga")
    argument = world.chance.choice(sorted(call.args))
    return StandingGrant(id, call.tool, "Olga", argument, call.args[argument])


async def _revokes(world: World) -> None:
    if world.store.grants:
        world.store.grants.remove(world.chance.choice(world.store.grants))


def questions(world: World) -> list[tuple[str, Call]]:
    """Every call about which a person is asked now, with its rollout."""
    states = world.store.states.items()
    calls = [(id, call) for id, state in states if not state.ended for call in (*state.batch, *state.detached)]
    return [(id, call) for id, call in calls if call.is_asked]


def _decision(world: World, call: Call) -> ApprovalDecision:
    chance, question = world.chance, call.question
    assert question is not None
    reason = chance.choice(("", "", "a good customer"))
    if not call.is_gated:
        verdict = chance.choice((Verdict.RUN_AGAIN, Verdict.HAPPENED, Verdict.SKIP, Verdict.DENY))
        return ApprovalDecision(call_id=call.id, verdict=verdict, result="it is done", by="Olga", reason=reason)
    verdict = chance.choice((Verdict.APPROVE, Verdict.APPROVE, Verdict.APPROVE, Verdict.DENY))
    sha256 = chance.choice((question.args_sha256, question.args_sha256, question.args_sha256, "", "0" * 64))
    edited = None
    if verdict is Verdict.APPROVE and not question.to_state and chance.random() < 0.2:
        edited = {**call.args, "x": "edited"}
        sha256 = args_sha256(call.tool, edited)
    return ApprovalDecision(
        call_id=call.id, verdict=verdict, args_sha256=sha256, edited_args=edited, by="Olga", reason=reason
    )


async def _answers(world: World) -> None:
    """What somebody was asked by `send_message`, in a form or in words."""
    for rollout, asked in asked_of_people(world):
        if world.chance.random() < 0.7:
            await answer(world, rollout, asked)
            return


async def answer(world: World, rollout: str, call: Call) -> None:
    assert isinstance(call.made, AgentOutput)
    form = FormAnswer(name=call.id, values={"colour": "red"}) if call.made.form is not None else None
    await world.post(rollout, UserInput(content="Red." if form is None else "", form=form), call.made.to)


def asked_of_people(world: World) -> list[tuple[str, Call]]:
    states = world.store.states.items()
    return [(id, call) for id, state in states for call in state.open_calls if isinstance(call.made, AgentOutput)]


async def _pauses(world: World) -> None:
    await world.post(world.any_rollout(), RolloutPaused(by="Olga"), SUPERVISOR)


async def _resumes(world: World) -> None:
    reason = world.chance.choice((ResumeReason.RESUME, ResumeReason.RETRY))
    await world.post(world.any_rollout(), RolloutResumed(by="Olga", reason=reason), SUPERVISOR)


async def _raises_a_limit(world: World) -> None:
    limits = world.chance.choice(({"max_steps": 50}, {"max_tool_calls": 50}, {"budget.tokens": 200_000}))
    await world.post(ROOT, RolloutResumed(by="Olga", reason=ResumeReason.LIMIT, limits=limits), SUPERVISOR)


async def _cancels(world: World) -> None:
    below = [rollout for rollout in world.store.rows if rollout != ROOT]
    rollout = world.chance.choice(below) if below and world.chance.random() < 0.8 else ROOT
    await world.post(rollout, RolloutCancelled(by="Olga", reason="enough"), SUPERVISOR)


async def _archives(world: World) -> None:
    await world.post(ROOT, RolloutCompleted(by="Maya", reason="done with"), PEOPLE[0])


async def _moves(world: World) -> None:
    rollout = world.any_rollout()
    now = world.state(rollout).dealings.business.name
    if now:
        to = world.chance.choice(("asking", "acting"))
        move = StateUpdate(from_state=now, to_state=to, by="Olga", wakes_model=world.chance.random() < 0.3)
        await world.post(rollout, move, SUPERVISOR)


async def _takes_back(world: World) -> None:
    waiting = [(id, item.id) for id, row in world.store.rows.items() for item in row.pending]
    if waiting:
        rollout, event_id = world.chance.choice(waiting)
        if event_id.startswith("e_"):
            await world.store.withdraw(rollout, event_id)


async def _kills(world: World) -> None:
    living = world.living
    if living:
        world.chance.choice(living).kill()
        await world.let_pass(world.chance.choice((0, 0.5, 4)))
    if not world.living or world.chance.random() < 0.3:
        await world.add_worker()


async def _freezes(world: World) -> None:
    living = world.living
    if not living:
        return
    worker = world.chance.choice(living)
    worker.freeze()
    if world.chance.random() < 0.7:
        await world.add_worker()
    await world.let_pass(world.chance.choice((0.5, 3, 5, 9)))
    if not worker.is_dead:
        worker.thaw()


ACTS: dict[Act, float] = {
    _says: 12,
    _stops: 4,
    _instructs: 2,
    _triggers: 1,
    _decides: 8,
    _revokes: 0.5,
    _answers: 4,
    _pauses: 1,
    _resumes: 2,
    _raises_a_limit: 1,
    _cancels: 0.7,
    _archives: 0.1,
    _moves: 1,
    _takes_back: 1,
    _kills: 2,
    _freezes: 1,
}
