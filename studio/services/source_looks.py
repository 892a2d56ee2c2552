"""Sources are looked at when they are due, and what has happened there is taken once."""

import asyncio
import logging
from functools import partial

from asgiref.sync import sync_to_async

from runtime.engine.backoff import delay_seconds
from runtime.engine.clock import SystemClock
from runtime.ports import Look, ToolFailed
from studio.errors import StudioError
from studio.models import Trigger, User
from studio.services.deliveries import Coming, deliver
from studio.sources.table import KINDS, Surroundings
from studio.store.delivering import Delivered
from studio.store.triggers import key_digest, used_key
from studio.wiring import running, workspace_root

log = logging.getLogger(__name__)

SECOND = 1_000_000
AT_ONCE = 8
LOOK_SECONDS = 60.0
"""How long a look may take; what takes longer is given up, and looked at again."""


class SourceLooks:
    """The looks that are under way in this process; each is a task, and none waits for another."""

    def __init__(self) -> None:
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def begin_due(self, now_us: int) -> None:
        """Begins to look at every source that is due and is not being looked at."""
        free = AT_ONCE - len(self._tasks)
        for trigger in await sync_to_async(_due)(now_us) if free > 0 else []:
            if trigger.pk not in self._tasks and free > 0:
                task = asyncio.create_task(look_at(trigger), name=f"look at {trigger}")
                self._tasks[trigger.pk] = task
                task.add_done_callback(partial(self._ended, trigger.pk))
                free -= 1

    def _ended(self, trigger_pk: int, _task: asyncio.Task[None]) -> None:
        self._tasks.pop(trigger_pk, None)

    async def stop(self) -> None:
        """Ends what is under way; what was not taken yet is found again."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def look_at(trigger: Trigger) -> None:
    """Looks once, takes what is new, and keeps the cursor; or keeps in words why that failed."""
    try:
        source = KINDS[trigger.kind].make(trigger.settings, Surroundings(workspace_root(), running().services.client))
        if not await sync_to_async(_claimed)(trigger, source.every_seconds):
            return
        async with asyncio.timeout(LOOK_SECONDS):
            look = await source.look(trigger.cursor)
        await sync_to_async(_take)(trigger, look)
    except (ToolFailed, StudioError) as error:
        await sync_to_async(_failed)(trigger, str(error))
    except TimeoutError:
        await sync_to_async(_failed)(trigger, f"it did not answer within {LOOK_SECONDS:.0f} seconds")
    except Exception:
        log.exception("the source %s of %s broke", trigger.name, trigger.agent.name)
        await sync_to_async(_failed)(trigger, "Studio made a mistake while it looked; its log says which")


def try_example(trigger: Trigger, tester: User) -> Delivered:
    """Gives the agent an example of what this source brings, in a new session of the tester's. Raises StudioError."""
    return deliver(trigger, Coming(dict(KINDS[trigger.kind].example), tester=tester))


def _due(now_us: int) -> list[Trigger]:
    due = Trigger.objects.acting().filter(kind__in=list(KINDS), due_at__lte=now_us)
    return list(due.select_related("agent__project").order_by("due_at", "pk")[: 2 * AT_ONCE])


def _claimed(trigger: Trigger, every_seconds: float) -> bool:
    """Whether this process looks, and not another; the next look is set, also for when this one is cut off."""
    next_at = SystemClock().now() + int(every_seconds * SECOND)
    return bool(Trigger.objects.filter(pk=trigger.pk, due_at=trigger.due_at).update(due_at=next_at))


def _take(trigger: Trigger, look: Look) -> None:
    for happening in look.happenings:
        if used_key([key_digest(trigger, happening.key)]) is None:
            deliver(trigger, Coming(dict(happening.body), keys=[happening.key]))
    if look.cursor != trigger.cursor or trigger.failures:
        Trigger.objects.filter(pk=trigger.pk, cursor=trigger.cursor).update(cursor=look.cursor, failures=0, problem="")


def _failed(trigger: Trigger, sentence: str) -> None:
    failures = trigger.failures + 1
    problem = f"{sentence[:1].upper()}{sentence[1:]}".rstrip(".") + "."
    later = SystemClock().now() + int(max(delay_seconds(failures), 5.0) * SECOND)
    rows = Trigger.objects.filter(pk=trigger.pk, is_on=True, is_listed=True)
    rows.update(failures=failures, problem=problem[:500], due_at=later)
