"""What has ended becomes events: a reply, a failed attempt, a result; or one more attempt of a call."""

from collections.abc import Iterable, Mapping

from runtime.domain.agent import Agent
from runtime.domain.artifact import RESULT_BYTES, NewArtifact, shortened
from runtime.domain.events import AbortWhy, ResultStatus, StepAborted, StepCompleted, ToolResult
from runtime.domain.reply import recorded, repeat_note
from runtime.domain.state import Call, State
from runtime.domain.trajectory import Draft
from runtime.engine.backoff import delay_seconds
from runtime.engine.change import Change
from runtime.engine.executor import Outcome
from runtime.engine.shell import Shell
from runtime.engine.work import Work
from runtime.ports import ModelError


class Settler:
    """Of one rollout. `_tries` counts the attempts of calls that leave no `tool.started`."""

    def __init__(self, agent: Agent, shell: Shell, work: Work) -> None:
        self._agent, self._shell, self._work = agent, shell, work
        self._tries: dict[str, int] = {}
        self._retry_at: dict[str, int] = {}
        self._artifacts: dict[str, NewArtifact] = {}

    def settle(self, change: Change) -> list[str]:
        """Add the events of all that has ended; the keys that are done with once they are recorded."""
        settled = []
        for key, ended in list(self._work.ended.items()):
            match ended:
                case Outcome():
                    self._settle_call(change, key, ended)
                case StepCompleted() if _is_current(change.state, key):
                    change.add(recorded(change.state, self._agent, self._work.reply, ended, self._shell.check))
                case ModelError() if _is_current(change.state, key):
                    change.add([self._failed_attempt(change, ended)])
                case _:  # of an attempt that was given up
                    del self._work.ended[key]
                    continue
            settled.append(key)
        return settled

    def done(self, keys: Iterable[str]) -> None:
        """These are recorded."""
        for key in keys:
            ended = self._work.ended.pop(key, None)
            self._artifacts.pop(key.removeprefix("tool:"), None)
            if ended is not None and not isinstance(ended, Outcome):
                self._work.forget_model()

    def next_attempt(self, call: Call) -> int | None:
        """The number of the attempt that may begin now; None while a retry waits its time."""
        if self._retry_at.get(call.id, 0) > self._shell.clock.now():
            return None
        return max(self._tries.get(call.id, 0), call.attempt) + 1

    def began(self, call: Call, attempt: int) -> None:
        """That attempt is recorded, if it leaves a record, and begins."""
        self._retry_at.pop(call.id, None)
        self._tries[call.id] = attempt

    def retries_due(self, state: State) -> list[int]:
        """When open calls may be tried again, microseconds."""
        return [at for call_id, at in self._retry_at.items() if (call := state.call(call_id)) and call.is_open]

    def waits_for_retry(self, call: Call) -> bool:
        """Whether its last attempt has failed, and the next has not begun."""
        return call.id in self._retry_at

    def result(self, call: Call, outcome: Outcome) -> ToolResult:
        """The result of a call as it is recorded; a large one leaves an artifact."""
        artifact_id = f"result-{call.id}" if call.is_open else f"result-{call.id}-{outcome.attempt}"
        content, artifact, ref = shortened(outcome.content, RESULT_BYTES, artifact_id)
        if artifact is not None:
            self._artifacts[call.id] = artifact
        return ToolResult(
            call_id=call.id,
            status=outcome.status,
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
        spec = self._agent.tool(call.tool)
        failed = outcome.status in (ResultStatus.ERROR, ResultStatus.TIMED_OUT)
        if failed and outcome.retryable and spec is not None and outcome.attempt <= spec.retries and call.is_open:
            self._retry_at[call_id] = self._shell.clock.now() + int(delay_seconds(outcome.attempt) * 1e6)
            del self._work.ended[key]
            return
        result = self.result(call, outcome)
        self.keep_artifacts(change, {call_id: result})
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
        text = self._work.reply.text
        aborted = StepAborted(
            why=AbortWhy.ERROR,
            error=error.sentence,
            kind=error.kind,
            retryable=error.retryable,
            retry_at=self._shell.clock.now() + int(delay * 1e6) if error.retryable else 0,
            model=step.model,
            tool=error.tool if error.kind == "tool_schema" else "",
            field=error.field,
            tokens_in=self._work.prompt_tokens if text else None,
            tokens_out=len(text) // 4 if text else None,
        )
        return Draft(aborted, step=step.number)


def _is_current(state: State, key: str) -> bool:
    """Whether this is the attempt in flight."""
    return state.step is not None and state.step.in_flight and key == f"model:{state.step.number}:{state.step.attempt}"
