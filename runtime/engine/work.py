"""What one rollout has running now, and what has ended but is not recorded yet."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any

from runtime.domain.context import Prompt
from runtime.domain.events import StepCompleted
from runtime.domain.reply import Reply
from runtime.engine.executor import Outcome
from runtime.engine.shell import Price
from runtime.ports import ModelError

log = logging.getLogger(__name__)

STOP_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Spent:
    """An estimate of what a reply that is given up has cost; None = nothing was asked, or no price is known."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None


Ended = Outcome | StepCompleted | ModelError


class Work:
    """Tasks by effect key. `reply` is what the model has said so far in the step in flight.

    `left` = tasks that did not stop when they were told to: their results come late.
    """

    def __init__(self, on_end: Callable[[], None]) -> None:
        self.running: dict[str, asyncio.Task[Ended]] = {}
        self.ended: dict[str, Ended] = {}
        self.left: dict[str, asyncio.Task[Ended]] = {}
        self.reply = Reply()
        self._prompt: Prompt | None = None
        self._price: Price | None = None
        self.on_close: Callable[[str, Ended | None], None] = lambda key, how: None
        self._on_end = on_end

    def start(self, key: str, job: Coroutine[Any, Any, Ended]) -> None:
        task = asyncio.create_task(job, name=key)
        self.running[key] = task
        task.add_done_callback(lambda done: self._finished(key, done))

    def has(self, key: str) -> bool:
        """Whether it runs, or has ended and waits to be recorded."""
        return key in self.running or key in self.ended or key in self.left

    @property
    def is_idle(self) -> bool:
        return not (self.running or self.ended or self.left)

    @property
    def model_keys(self) -> list[str]:
        """The keys of running model calls."""
        return [key for key in self.running if key.startswith("model:")]

    @property
    def spent(self) -> Spent:
        """What the step in flight was given to read, and has said so far."""
        messages = () if self._prompt is None else self._prompt.messages
        asked = sum(len(message.get("content") or "") for message in messages) // 4
        said = len(self.reply.text) // 4
        return Spent(asked, said, None if self._price is None else asked * self._price[0] + said * self._price[1])

    def begin_reply(self, prompt: Prompt, price: Price | None) -> None:
        """A new answer grows from here on."""
        self.reply, self._prompt, self._price = Reply(), prompt, price

    def forget_model(self) -> None:
        """The step in flight is given up."""
        for key in [key for key in self.ended if key.startswith("model:")]:
            del self.ended[key]
        self.reply = Reply()

    async def halt(self, keys: Iterable[str]) -> None:
        """Cancel these, and wait up to 1 s for each to stop; what ended on its own is in `ended`."""
        stopping = {key: task for key in keys if (task := self.running.get(key))}
        for task in stopping.values():
            task.cancel()
        if stopping:
            await asyncio.wait(stopping.values(), timeout=STOP_SECONDS)
            await asyncio.sleep(0)  # lets the done callbacks file what ended
        for key in stopping:
            task_left = self.running.pop(key, None)
            if task_left is not None and not task_left.done():
                self.left[key] = task_left

    def _finished(self, key: str, task: asyncio.Task[Ended]) -> None:
        tasks = next((tasks for tasks in (self.running, self.left) if tasks.get(key) is task), None)
        if tasks is None:
            return
        del tasks[key]
        how = None if task.cancelled() else self._outcome(key, task)
        if how is not None:
            self.ended[key] = how
        self.on_close(key, how)
        self._on_end()

    def _outcome(self, key: str, task: asyncio.Task[Ended]) -> Ended:
        error = task.exception()
        if error is None:
            return task.result()
        if isinstance(error, ModelError):
            return error
        log.error("%s broke", key, exc_info=error)
        return ModelError(f"The connection to the model broke: {type(error).__name__}.", kind="unknown", retryable=True)
