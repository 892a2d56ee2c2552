"""What has ended becomes events: a reply, a failed attempt, a result; or one more attempt of a call."""

from collections.abc import Iterable, Mapping

from runtime.domain.agent import Agent
from runtime.domain.artifact import RESULT_BYTES, NewArtifact, shortened
from runtime.domain.call_checks import needs_facts
from runtime.domain.capturing import captured
from runtime.domain.compaction import summarised
from runtime.domain.decide import compensations
from runtime.domain.events import AbortWhy, ResultStatus, StepAborted, StepCompleted, ToolResult, ToolRole
from runtime.domain.facts import NO_FACTS
from runtime.domain.failure_chain import fallback_begins, fallback_of, story
from runtime.domain.judging import Judging
from runtime.domain.reply import recorded, repeat_note
from runtime.domain.state import Call, State
from runtime.domain.tool import ToolSpec
from runtime.domain.trajectory import Draft
from runtime.engine.backoff import delay_seconds
from runtime.engine.change import Change
from runtime.engine.executor import Outcome
from runtime.engine.recollection import Recollection
from runtime.engine.shell import Shell
from runtime.engine.work import Spent, Work
from runtime.ports import ModelError


class Settler:
    """Of one rollout. `_tries` counts the attempts of calls that leave no `tool.started`.

    `facts`: what was learnt last of grants, agents and people. `_switched`: calls whose fallback is recorded as begun,
    and is yet to be run. `_put_off`: what failed while the rollout was paused, and has its fallback at resume.
    """

    def __init__(self, rollout: str, agent: Agent, shell: Shell, work: Work, recollection: Recollection) -> None:
        self._rollout, self._agent, self._shell, self._work = rollout, agent, shell, work
        self.facts = NO_FACTS
        self._recollection = recollection
        self._switched: set[str] = set()
        self._tries: dict[str, int] = {}
        self._retry_at: dict[str, int] = {}
        self._put_off: dict[str, Outcome] = {}
        self._artifacts: dict[str, NewArtifact] = {}

    @property
    def has_reply(self) -> bool:
        """Whether a model call has ended well and waits to be recorded."""
        return any(isinstance(ended, StepCompleted) for ended in self._work.ended.values())

    def wants_facts(self, state: State) -> bool:
        """Whether what has ended cannot be judged from the trajectory alone."""
        if not self.has_reply:
            return False
        return needs_facts([asked.name for asked in self._work.reply.calls.values()], self._agent)

    def _judging(self, change: Change) -> Judging:
        return Judging(
            change.state,
            self._agent,
            self._shell.check,
            self.facts,
            change.at,
            self._rollout,
            self._shell.new_rollout_id,
            self._recollection.scope(change.state),
            dict(self._recollection.memory),
            self._recollection.found,
            self._shell.redactor.redact,
        )

    def settle(self, change: Change) -> list[str]:
        """Add the events of all that has ended; the keys that are done with once they are recorded."""
        settled = []
        if not change.state.paused:
            self._work.ended.update(self._put_off)
            self._put_off.clear()
        for key, ended in list(self._work.ended.items()):
            match ended:
                case Outcome() if key.startswith("undo:"):
                    self._settle_compensation(change, key, ended)
                case Outcome():
                    self._settle_call(change, key, ended)
                case StepCompleted() if _is_current(change.state, key):
                    change.add(self._recorded(change, ended))
                case ModelError() if _is_current(change.state, key):
                    change.add([self._failed_attempt(change, ended)])
                case _:  # of an attempt that was given up
                    del self._work.ended[key]
                    continue
            if key not in self._put_off:
                settled.append(key)
        return settled

    def _recorded(self, change: Change, completed: StepCompleted) -> list[Draft]:
        step, reply = change.state.step, self._work.reply
        if step is not None and step.compacts_to:
            return summarised(reply, completed, change.state)
        write_down = captured if step is not None and step.captures else recorded
        return write_down(reply, completed, self._judging(change))

    def done(self, keys: Iterable[str]) -> None:
        """These are recorded."""
        for key in keys:
            ended = self._work.ended.pop(key, None) or self._put_off.pop(key, None)
            self._artifacts.pop(key.removeprefix("tool:"), None)
            if ended is not None and not isinstance(ended, Outcome):
                self._work.forget_model()

    def next_attempt(self, key: str, recorded: int) -> int | None:
        """The number of the attempt that may begin now; None while a retry waits its time.

        `key`: the id of a call, or the key of what undoes it; `recorded`: the attempts that have begun already.
        """
        if self._retry_at.get(key, 0) > self._shell.clock.now():
            return None
        return max(self._tries.get(key, 0), recorded) + 1

    def is_switched(self, call: Call) -> bool:
        """Whether its fallback is recorded as begun, and does not run yet."""
        return call.id in self._switched

    def began(self, call_id: str, attempt: int) -> None:
        """That attempt is recorded, if it leaves a record, and begins."""
        self._retry_at.pop(call_id, None)
        self._switched.discard(call_id)
        self._tries[call_id] = attempt

    def retries_due(self, state: State) -> list[int]:
        """When open calls may be tried again, microseconds."""
        return [
            at
            for key, at in self._retry_at.items()
            if key.startswith("undo:") or ((call := state.call(key)) and call.is_open)
        ]

    def holds(self, state: State) -> bool:
        """Whether it knows what is recorded nowhere: how a call has failed that may go on, once the pause is over."""
        return bool(self._put_off or self.retries_due(state))

    def put_off(self, key: str) -> Outcome | None:
        """How the call has failed whose fallback waits for the end of a pause."""
        return self._put_off.get(key)

    def waits_for_retry(self, call: Call) -> bool:
        """Whether its last attempt has failed, and the next has not begun."""
        return call.id in self._retry_at

    def result(self, call: Call, outcome: Outcome) -> ToolResult:
        """The result of a call as it is recorded; a large one leaves an artifact."""
        artifact_id = f"result-{call.id}" if call.is_open else f"result-{call.id}-{outcome.attempt}"
        told = story(call, outcome.content, outcome.status)
        content, artifact, ref = shortened(told, RESULT_BYTES, artifact_id)
        if artifact is not None:
            self._artifacts[call.id] = artifact
        return ToolResult(
            call_id=call.id,
            status=outcome.status,
            role=call.role,
            content=content + repeat_note(call.repeats),
            attempts=outcome.attempt,
            ms=outcome.ms,
            late=not call.is_open,
            artifact=ref,
        )

    def keep_artifacts(self, change: Change, results: Mapping[str, ToolResult]) -> None:
        """Let the artifacts of these results be written with the change."""
        for call_id in results:
            if call_id in self._artifacts:
                change.keep(self._artifacts[call_id])

    def _settle_call(self, change: Change, key: str, outcome: Outcome) -> None:
        call_id = key.removeprefix("tool:")
        call = change.state.call(call_id)
        if call is None:
            change.add([self._late(change, call_id, outcome)])
            return
        spec = self._agent.any_tool(call.runs)
        if call.is_open and self._tries_again(call_id, key, spec, outcome):
            return
        fallback = fallback_of(change.state, self._agent, call, outcome.status)
        if fallback is not None and change.state.paused:
            self._put_off[key] = outcome
            del self._work.ended[key]
            return
        if fallback is not None:
            why = outcome.content.rstrip(".") + (f" ({outcome.attempt} attempts)" if outcome.attempt > 1 else "")
            change.add([Draft(fallback_begins(call, fallback, why), step=call.step, cause=call.seq)])
            self._switched.add(call_id)
            return
        result = self.result(call, outcome)
        self.keep_artifacts(change, {call_id: result})
        change.add([Draft(result, step=call.step, cause=call.seq)])

    def _tries_again(self, name: str, key: str, spec: ToolSpec | None, outcome: Outcome) -> bool:
        """Whether a failed attempt is followed by another; then nothing is recorded of it but that one's beginning."""
        failed = outcome.status in (ResultStatus.ERROR, ResultStatus.TIMED_OUT)
        if not failed or not outcome.retryable or spec is None or outcome.attempt > spec.retries:
            return False
        self._retry_at[name] = self._shell.clock.now() + int(delay_seconds(outcome.attempt) * 1e6)
        del self._work.ended[key]
        return True

    def _settle_compensation(self, change: Change, key: str, outcome: Outcome) -> None:
        wanted = next((undo for undo in compensations(change.state, self._agent) if undo.key == key), None)
        if wanted is None or self._tries_again(key, key, wanted.tool, outcome):
            return
        call = wanted.call
        result = ToolResult(
            call_id=call.id,
            status=outcome.status,
            content=f"{wanted.tool.name}: {outcome.content}",
            attempts=outcome.attempt,
            ms=outcome.ms,
            role=ToolRole.ROLLBACK,
        )
        change.add([Draft(result, step=call.step, cause=call.seq)])

    def _late(self, change: Change, call_id: str, outcome: Outcome) -> Draft:
        """The result of a call that was given up long ago, and could not be stopped."""
        artifact_id = f"result-{call_id}-{outcome.attempt}"
        content, artifact, ref = shortened(outcome.content, RESULT_BYTES, artifact_id)
        if artifact is not None:
            change.keep(artifact)
        result = ToolResult(
            call_id=call_id,
            status=outcome.status,
            content=content,
            attempts=outcome.attempt,
            ms=outcome.ms,
            late=True,
            artifact=ref,
        )
        return Draft(result, step=int(call_id.partition(".")[0]))

    def _failed_attempt(self, change: Change, error: ModelError) -> Draft:
        step = change.state.step
        assert step is not None
        failures = sum(failure.model == step.model for failure in change.state.failures) + 1
        delay = delay_seconds(failures, error.retry_after_seconds)
        spent = self._work.spent if self._work.reply.text else Spent()
        aborted = StepAborted(
            why=AbortWhy.ERROR,
            error=error.sentence,
            kind=error.kind,
            retryable=error.retryable,
            retry_at=self._shell.clock.now() + int(delay * 1e6) if error.retryable else 0,
            model=step.model,
            tool=error.tool if error.kind == "tool_schema" else "",
            field=error.field,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            cost_usd=spent.cost_usd,
        )
        return Draft(aborted, step=step.number)


def _is_current(state: State, key: str) -> bool:
    """Whether this is the attempt in flight."""
    return state.step is not None and state.step.in_flight and key == f"model:{state.step.number}:{state.step.attempt}"
