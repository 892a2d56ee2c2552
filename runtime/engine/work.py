"""What one rollout has running now, and what has ended but is not recorded yet."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from runtime.domain.events import StepCompleted
from runtime.domain.reply import Reply
from runtime.engine.executor import Outcome
from runtime.ports import ModelError

STOP_SECONDS = 1.0

Ended = Outcome | StepCompleted | ModelError


class Work:
    """Tasks by effect key. `reply` is what the model has said so far in the step in flight."""

    def __init__(self, on_end: Callable[[], None]) -> None:
        self.running: dict[str, asyncio.Task[Ended]] = {}
        self.ended: dict[str, Ended] = {}
        self.reply = Reply()
        self._on_end = on_end

    def start(self, key: str, job: Coroutine[Any, Any, Ended]) -> None:
        task = asyncio.create_task(job, name=key)
        self.running[key] = task
        task.add_done_callback(lambda done: self._finished(key, done))

    def has(self, key: str) -> bool:
        """Whether it runs, or has ended and waits to be recorded."""
        return key in self.running or key in self.ended

    def _finished(self, key: str, task: asyncio.Task[Ended]) -> None:
        if self.running.get(key) is not task:
            return
        del self.running[key]
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            self.ended[key] = task.result()
        elif isinstance(error, ModelError):
            self.ended[key] = error
        else:
            self.ended[key] = ModelError(
                f"The model connection broke: {type(error).__name__}.", kind="unknown", retryable=True
            )
        self._on_end()

    async def halt(self, keys: Iterable[str]) -> None:
        """Cancel these, and wait up to 1 s for each to stop; what ended on its own is in `ended`."""
        tasks = [task for key in keys if (task := self.running.get(key))]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=STOP_SECONDS)
            await asyncio.sleep(0)  # lets the done callbacks file what ended
        for key in keys:
            self.running.pop(key, None)

    def forget_model(self) -> None:
        """The step in flight is given up or recorded."""
        for key in [key for key in self.ended if key.startswith("model:")]:
            del self.ended[key]
        self.reply = Reply()
