"""Tool Executor: one attempt of one call."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.domain.events import ResultStatus, ToolRole
from runtime.domain.tool import ToolSpec
from runtime.ports import Artifacts, Clock, NothingDone, RolloutInfo, Stopped, Store, Tool, ToolContext, ToolFailed

log = logging.getLogger(__name__)

OnProgress = Callable[[str, int | None, int | None, str], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one attempt ended. `untouched`: it was cancelled and can prove that it did nothing."""

    status: ResultStatus
    content: str
    attempt: int
    ms: int
    retryable: bool = False
    untouched: bool = False


_SUFFIX = {ToolRole.CALL: "", ToolRole.FALLBACK: ":fallback", ToolRole.ROLLBACK: ":rollback"}
"""What the idempotency key of a call has at its end."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be run for a call: the call itself, its fallback, or the tool that undoes it."""

    call_id: str
    spec: ToolSpec
    args: Mapping[str, Any]
    role: ToolRole = ToolRole.CALL


@dataclass(frozen=True, slots=True)
class StoredArtifacts:
    """The artifacts of one rollout, as the port that tools read."""

    store: Store
    rollout: str

    async def pinned(self, sha256: str) -> str | None:
        return await self.store.pinned(sha256)

    async def read(self, artifact_id: str, offset: int, limit: int) -> tuple[str, int] | None:
        text = await self.store.artifact(self.rollout, artifact_id)
        return None if text is None else (text[offset : offset + limit], len(text))


class Executor:
    """Runs attempts of calls with the tools it was given."""

    def __init__(self, find: Callable[[str], Tool | None], store: Store, clock: Clock) -> None:
        self._find, self._store, self._clock = find, store, clock

    async def attempt(self, job: Job, info: RolloutInfo, attempt: int, on_progress: OnProgress) -> Outcome:
        """Run it once, within its timeout. Never raises, but when the attempt itself is cancelled."""
        began, spec = self._clock.now(), job.spec
        context = self._context(job, info, attempt, on_progress)

        def outcome(status: ResultStatus, content: str, *, retryable: bool = False) -> Outcome:
            return Outcome(status, content, attempt, (self._clock.now() - began) // 1000, retryable)

        tool = self._find(spec.name)
        if tool is None:
            return outcome(ResultStatus.ERROR, f"the tool {spec.name} is not installed any more.")
        try:
            async with asyncio.timeout(spec.timeout_seconds) as limit:
                content = await tool.run(job.args, context)
            return outcome(ResultStatus.OK, content)
        except NothingDone as stopped:
            if limit.expired():
                words = f"it took longer than {spec.timeout_seconds:g} s and was stopped. Nothing was done."
                return outcome(ResultStatus.TIMED_OUT, words, retryable=True)
            return Outcome(ResultStatus.CANCELLED, stopped.sentence, attempt, 0, untouched=True)
        except Stopped as stopped:
            if limit.expired():
                words = f"it took longer than {spec.timeout_seconds:g} s. {stopped.sentence}"
                return outcome(ResultStatus.TIMED_OUT, words, retryable=spec.may_run_again)
            return outcome(ResultStatus.CANCELLED, stopped.sentence)
        except ToolFailed as failed:
            return outcome(ResultStatus.ERROR, failed.sentence, retryable=failed.retryable)
        except TimeoutError:
            if not limit.expired():
                words = "what it asked did not answer in time."
                return outcome(ResultStatus.ERROR, words, retryable=spec.may_run_again)
            words = f"it took longer than {spec.timeout_seconds:g} s and was stopped."
            if not spec.may_run_again:
                words += " Whether it took effect is not known."
            return outcome(ResultStatus.TIMED_OUT, words, retryable=spec.may_run_again)
        except asyncio.CancelledError:
            if _was_told_to_stop():
                raise
            return outcome(ResultStatus.ERROR, "the tool gave up in the middle.", retryable=spec.may_run_again)
        except Exception as error:
            log.exception("tool %s failed in %s", spec.name, info.rollout)
            return outcome(ResultStatus.ERROR, f"the tool broke: {type(error).__name__}.", retryable=spec.may_run_again)

    def _context(self, job: Job, info: RolloutInfo, attempt: int, on_progress: OnProgress) -> ToolContext:
        artifacts: Artifacts = StoredArtifacts(self._store, info.rollout)

        def progress(done: int | None, total: int | None, note: str) -> None:
            on_progress(job.call_id, done, total, note)

        return ToolContext(
            rollout=info.rollout,
            session=info.session,
            project=info.project,
            call_id=job.call_id,
            key=f"{info.rollout}:{job.call_id}{_SUFFIX[job.role]}",
            attempt=attempt,
            spec=job.spec,
            artifacts=artifacts,
            progress=progress,
        )


def _was_told_to_stop() -> bool:
    """Whether this task is being cancelled from outside; a tool may also raise CancelledError on its own."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
