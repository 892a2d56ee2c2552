"""What the writer can be asked to do."""

from typing import Any, ClassVar, Protocol

from studio.store.batch import Batch, Needs


class Job[Result](Protocol):
    """Shares a transaction with the other jobs of its batch; sees what those before it did.

    `apply` must raise before it changes anything, or not at all. `finish` runs after the batch was written, before
    its commit, and may read; it gets what `apply` gave. A batch of jobs that only read is no transaction.
    """

    only_reads: ClassVar[bool]

    def needs(self, needs: Needs) -> None: ...

    def apply(self, batch: Batch) -> Any: ...

    def finish(self, batch: Batch, applied: Any) -> Result: ...


class LoneJob[Result](Protocol):
    """Has a transaction of its own, for statements beside those of a batch."""

    def run(self, batch: Batch) -> Result: ...
