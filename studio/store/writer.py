"""The one thread of a process that writes the runtime's tables, with a connection of its own.

It takes what is queued now, commits once, and answers all; it never waits for more. Beside a saturated writer,
connections of one's own waited for seconds; through its queue, for milliseconds.
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, cast

from django.db import OperationalError, connections, transaction

from runtime.domain.errors import RuntimeFault
from studio.store.batch import Batch, Needs
from studio.store.job import Job, LoneJob
from studio.store.sql import Sql, machine_now

JOBS_AT_ONCE = 500
JOIN_SECONDS = 30
OPERATIONAL_TRIES = 3


class WriterClosed(RuntimeFault):
    """The writer was shut down."""

    def __str__(self) -> str:
        return "Studio is shutting down; send this again when it is back"


@dataclass(slots=True)
class Ticket:
    """A job that waits, and who waits for it: an asyncio future of `loop`, or a concurrent one."""

    job: Job[Any] | LoneJob[Any]
    future: asyncio.Future[Any] | Future[Any]
    loop: asyncio.AbstractEventLoop | None
    result: Any = None
    error: BaseException | None = None


Run = Callable[[Batch, Sequence[Ticket]], None]


@dataclass(slots=True)
class Counts:
    """What the writer did, for benchmarks and tests."""

    jobs: int = 0
    commits: int = 0
    statements: int = 0
    rollbacks: int = 0


@dataclass(slots=True)
class Writer:
    """Runs jobs on the database `alias`. `now` stamps arrivals, in microseconds.

    Leases go by the database's own clock unless `lease_clock` is given.
    """

    alias: str = "default"
    now: Callable[[], int] = machine_now
    lease_clock: Callable[[], int] | None = None
    counts: Counts = field(default_factory=Counts)
    _queue: SimpleQueue[Ticket | None] = field(default_factory=SimpleQueue)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _thread: threading.Thread | None = None
    _is_closed: bool = False

    async def do[Result](self, job: Job[Result] | LoneJob[Result]) -> Result:
        """Waits on the running loop until the job is committed. Raises what the job raises.

        A caller that is cancelled stops waiting; the job is done all the same.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        self._submit(Ticket(job, future, loop))
        return await future

    def call[Result](self, job: Job[Result] | LoneJob[Result]) -> Result:
        """The same from a thread without a loop: blocks it."""
        future: Future[Result] = Future()
        self._submit(Ticket(job, future, None))
        return future.result()

    def close(self) -> None:
        """Does what is queued, then ends the thread. Later jobs raise WriterClosed."""
        with self._lock:
            self._is_closed, thread = True, self._thread
        if thread is not None:
            self._queue.put(None)
            thread.join(JOIN_SECONDS)

    def _submit(self, ticket: Ticket) -> None:
        with self._lock:
            if self._is_closed:
                raise WriterClosed
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=f"writer-{self.alias}", daemon=True)
                self._thread.start()
            self._queue.put(ticket)

    # -- in the thread

    def _run(self) -> None:
        is_open = True
        while is_open:
            tickets = [first] if (first := self._queue.get()) is not None else []
            is_open = first is not None
            try:
                while is_open and len(tickets) < JOBS_AT_ONCE:
                    ticket = self._queue.get_nowait()
                    is_open = ticket is not None
                    if ticket is not None:
                        tickets.append(ticket)
            except Empty:
                pass
            self._serve(tickets)
        connections[self.alias].close()

    def _serve(self, tickets: Sequence[Ticket]) -> None:
        self.counts.jobs += len(tickets)
        shared: list[Ticket] = []
        for ticket in tickets:
            if hasattr(ticket.job, "run"):
                self._attempt([ticket], self._run_alone)
            else:
                shared.append(ticket)
        if shared:
            self._attempt(shared, self._run_together)
        _answer(tickets)

    def _attempt(self, tickets: Sequence[Ticket], run: Run, tries: int = OPERATIONAL_TRIES) -> None:
        """One transaction for all; if it fails, each half has its own, so that a bad row harms its own job alone.

        A fault of the database itself (locked, deadlock, disk full) is no row's: then all is tried again.
        """
        try:
            self._transact(tickets, run)
        except OperationalError as error:
            if tries > 1 and connections[self.alias].is_usable():
                self._attempt(tickets, run, tries - 1)
                return
            _refuse(tickets, error)
        except Exception as error:  # noqa: BLE001  # whatever it is, the thread goes on, and who waits is answered
            if len(tickets) == 1:
                _refuse(tickets, error)
                return
            middle = len(tickets) // 2
            self._attempt(tickets[:middle], run)
            self._attempt(tickets[middle:], run)

    def _transact(self, tickets: Sequence[Ticket], run: Run) -> None:
        connection = connections[self.alias]
        for ticket in tickets:
            ticket.result = ticket.error = None
        sql = Sql(connection, self.lease_clock)
        try:
            run(Batch(sql, self.now()), tickets)
            self.counts.commits += sql.commits
        except Exception:
            self.counts.rollbacks += 1
            connection.close_if_unusable_or_obsolete()
            raise
        finally:
            self.counts.statements += sql.statements

    def _run_alone(self, batch: Batch, tickets: Sequence[Ticket]) -> None:
        job = cast("LoneJob[Any]", tickets[0].job)
        with batch.sql.connection.wrap_database_errors, transaction.atomic(using=self.alias):
            tickets[0].result = job.run(batch)
            batch.flush()
        batch.sql.commits += 1

    def _run_together(self, batch: Batch, tickets: Sequence[Ticket]) -> None:
        jobs = [cast("Job[Any]", ticket.job) for ticket in tickets]
        needs = Needs()
        for job in jobs:
            job.needs(needs)
        only_reads = all(job.only_reads for job in jobs)
        batch.locks = batch.locks and not only_reads
        with batch.sql.no_transaction() if only_reads else batch.sql.transaction():
            batch.read(needs)
            for job, ticket in zip(jobs, tickets, strict=True):
                try:
                    ticket.result = job.apply(batch)
                except RuntimeFault as fault:
                    ticket.error = fault
            batch.flush()
            for job, ticket in zip(jobs, tickets, strict=True):
                if ticket.error is None:
                    ticket.result = job.finish(batch, ticket.result)


def _refuse(tickets: Sequence[Ticket], error: Exception) -> None:
    for ticket in tickets:
        ticket.error = error


def _answer(tickets: Sequence[Ticket]) -> None:
    """Hands out the results: one call into each event loop that waits."""
    waiting: defaultdict[asyncio.AbstractEventLoop, list[Ticket]] = defaultdict(list)
    for ticket in tickets:
        if ticket.loop is None:
            _settle(ticket)
        else:
            waiting[ticket.loop].append(ticket)
    for loop, theirs in waiting.items():
        try:
            loop.call_soon_threadsafe(_settle_all, theirs)
        except RuntimeError:
            continue  # the loop was closed: nobody waits any more


def _settle_all(tickets: Sequence[Ticket]) -> None:
    for ticket in tickets:
        _settle(ticket)


def _settle(ticket: Ticket) -> None:
    if ticket.future.done():
        return
    if ticket.error is not None:
        ticket.future.set_exception(ticket.error)
    else:
        ticket.future.set_result(ticket.result)
