"""Starts what `decide` wants and what does not run yet: recorded first, then begun."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from runtime.domain.agent import Agent
from runtime.domain.context import RENDERER, History, Prompt
from runtime.domain.decide import decide, is_read
from runtime.domain.effects import CallModel, Compensate, Complete, Fail, Respond, RunTool
from runtime.domain.events import (
    AbortWhy,
    AgentResponse,
    ResultStatus,
    RolloutCompleted,
    RolloutFailed,
    StepAborted,
    StepCompleted,
    StepStarted,
    ToolRole,
    ToolStarted,
)
from runtime.domain.failure_chain import compensation_args
from runtime.domain.memory import Values
from runtime.domain.state import Call, State
from runtime.domain.trajectory import AGENT, Draft
from runtime.engine.budget import reserved
from runtime.engine.change import Change
from runtime.engine.executor import Job
from runtime.engine.invoker import Invocation, invoke
from runtime.engine.pictures import with_pictures
from runtime.engine.settle import Settler
from runtime.engine.shell import Price, Shell
from runtime.engine.tracing import Spans
from runtime.engine.work import Work
from runtime.ports import RolloutInfo


@dataclass(slots=True)
class Plan:
    """What begins once its change is recorded: jobs with their keys and the number of their attempt, and a model call.

    `is_partial`: something was given up first, and begins in the next round.
    """

    calls: list[tuple[str, Job, int]] = field(default_factory=list)
    prompt: Prompt | None = None
    is_partial: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether it begins something, and nothing is left to begin."""
        return not self.is_partial and (self.prompt is not None or bool(self.calls))


class Starter:
    """Of one rollout. `is_fresh`: its lease was renewed in time; if not, nothing begins and nothing is handed out."""

    def __init__(
        self, info: RolloutInfo, agent: Agent, shell: Shell, work: Work, settler: Settler, is_fresh: Callable[[], bool]
    ) -> None:
        self._info, self._agent, self._shell = info, agent, shell
        self._work, self._settler, self._is_fresh = work, settler, is_fresh
        self._history = History(agent)
        self._not_begun: dict[str, int] = {}
        self.prices: Mapping[str, Price] = {}
        self.spans = Spans(info)
        work.on_close = self.spans.ended

    def forget(self) -> None:
        """The history may have grown along with what was not recorded: make it anew."""
        self._history = History(self._agent)

    def plan(self, change: Change, values: Values) -> Plan:
        """Add to the change what must be recorded before it begins. `values` of the memory go into a prompt."""
        plan = Plan()
        if not self._is_fresh():
            return plan
        for effect in decide(change.state, self._agent):
            match effect:
                case RunTool(call=call, begin=True) if not self._work.has(effect.key):
                    self._plan_call(change, plan, call)
                case CallModel() if not self._work.has(effect.key) and effect.not_before <= self._shell.clock.now():
                    self._plan_step(change, plan, effect, values)
                case Compensate() if not self._work.has(effect.key):
                    self._plan_compensation(change, plan, effect)
                case Respond(content=content, status=status):
                    change.add([self._response(change.state, content, status)])
                case Complete(state=name):
                    change.add([Draft(RolloutCompleted(reason=f"It came to the final state {name}."))])
                case Fail(error=error):
                    change.add([Draft(RolloutFailed(error=error))])
        return plan

    def start(self, plan: Plan, state: State) -> None:
        """Begin what is recorded now; later, if the process stood still meanwhile and may have lost its lease."""
        if not self._is_fresh():
            self._not_begun |= {key: attempt for key, _, attempt in plan.calls}
            return
        for key, job, attempt in plan.calls:
            self._not_begun.pop(key, None)
            self.spans.tool(key, job.spec.name, job.call_id, state.turn.start)
            self._settler.began(key if job.role is ToolRole.ROLLBACK else job.call_id, attempt)
            self._work.start(key, self._shell.executor.attempt(job, self._info, attempt, self._progress))
        if plan.prompt is not None:
            self._call_model(plan.prompt, state)

    def _plan_call(self, change: Change, plan: Plan, call: Call) -> None:
        spec = self._agent.any_tool(call.runs)
        assert spec is not None, "a call without a tool is refused when its step is recorded"
        key, job = RunTool(call).key, Job(call.id, spec, call.args, call.role)
        is_recorded = key in self._not_begun and self._not_begun[key] == call.attempt
        if self._settler.is_switched(call) or is_recorded:  # its beginning is recorded already
            plan.calls.append((key, job, call.attempt))
            return
        attempt = self._settler.next_attempt(call.id, call.attempt)
        if attempt is None:
            return
        if not is_read(call, self._agent):
            started = ToolStarted(call_id=call.id, attempt=attempt, role=call.role, tool=call.running)
            change.add([Draft(started, step=call.step, cause=call.seq)])
        plan.calls.append((key, job, attempt))

    def _plan_compensation(self, change: Change, plan: Plan, effect: Compensate) -> None:
        call, spec, tried = effect.call, effect.tool, change.state.dealings.undoing_attempt
        job = Job(call.id, spec, compensation_args(call, spec), ToolRole.ROLLBACK)
        if tried and self._not_begun.get(effect.key) == tried:  # its beginning is recorded already
            plan.calls.append((effect.key, job, tried))
            return
        attempt = self._settler.next_attempt(effect.key, tried)
        if attempt is None:
            return
        started = ToolStarted(call_id=call.id, attempt=attempt, role=ToolRole.ROLLBACK, tool=spec.name)
        change.add([Draft(started, step=call.step, cause=call.seq)])
        plan.calls.append((effect.key, job, attempt))

    def _response(self, state: State, content: str, status: ResultStatus) -> Draft:
        started = state.started
        assert started is not None, "only a sub-agent responds"
        answers = "" if state.dealings.has_responded else started.parent_call
        response = AgentResponse(to_rollout=started.parent, content=content, status=status, answers=answers)
        return Draft(response, AGENT)

    def _plan_step(self, change: Change, plan: Plan, effect: CallModel, values: Values) -> None:
        if change.state.is_speaking:  # recorded as begun, but nothing runs: give that attempt up
            change.add([Draft(StepAborted(why=AbortWhy.RESTART, model=effect.model), step=effect.step)])
            plan.is_partial = True
            return
        plan.prompt = self._prompt(change.state, effect, values)
        tokens, usd = reserved(change.state, self._agent, plan.prompt, self.prices)
        started = StepStarted(
            reserved_tokens=tokens,
            reserved_usd=usd,
            attempt=effect.attempt,
            model=effect.model,
            seen=change.state.seen if effect.captures else change.state.seq,
            prompt_sha256=plan.prompt.sha256,
            renderer=RENDERER,
            withheld=effect.withhold,
            captures=effect.captures,
            compacts_to=effect.compacts_to,
            shows_thoughts=self._agent.show_thoughts,
        )
        change.add([Draft(started, step=effect.step)])

    def _prompt(self, state: State, effect: CallModel, values: Values) -> Prompt:
        if effect.compacts_to:
            return History(self._agent).compaction(state, effect.compacts_to, model=effect.model)
        history = self._history.grown(state, values)
        if effect.captures:
            return history.capture(state, model=effect.model)
        return history.prompt(state, model=effect.model, withhold=effect.withhold)

    def _call_model(self, prompt: Prompt, state: State) -> None:
        step = state.step
        assert step is not None, "its beginning was recorded just now"
        key = f"model:{step.number}:{step.attempt}"
        self._work.begin_reply(prompt, self.prices.get(prompt.model))
        self.spans.step(key, step.number, prompt.model, state.turn.start)
        is_aside = step.captures or step.compacts_to > 0
        on_delta = _to_nobody if is_aside else self._delta(step.number, step.attempt)
        invocation = Invocation(prompt, self._info.project, self._agent.stream, self._work.reply, on_delta)
        self._work.start(key, self._invoked(invocation))

    async def _invoked(self, invocation: Invocation) -> StepCompleted:
        """The model's answer to the prompt with its images in it."""
        prompt = await with_pictures(invocation.prompt, self._shell.store, self._info.rollout)
        shown = invocation if prompt is invocation.prompt else replace(invocation, prompt=prompt)
        return await invoke(self._shell.model, shown, self._shell.clock)

    def _delta(self, step: int, attempt: int) -> Callable[[int, int, str, str], None]:
        def hand_out(block: int, offset: int, kind: str, text: str) -> None:
            if self._is_fresh():
                self._shell.hub.delta(self._info, step, attempt, block, offset, kind, text)

        return hand_out

    def _progress(self, call_id: str, done: int | None, total: int | None, note: str) -> None:
        self._shell.hub.progress(self._info, call_id, done, total, note)


def _to_nobody(block: int, offset: int, kind: str, text: str) -> None:
    """What a step says that only summarises, or only asks what to keep: nobody reads along."""
