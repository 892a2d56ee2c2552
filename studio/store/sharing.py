"""A session is shown to an author of its project, and no longer."""

from dataclasses import dataclass

from studio.models import SessionShare
from studio.store.auditing import Entry
from studio.store.batch import Batch
from studio.store.joining import locked_session


@dataclass(frozen=True, slots=True)
class ShareSession:
    """Shows it to that person; False if it was shown before. Raises NotThere."""

    session: str
    user_pk: int
    by_pk: int
    entry: Entry | None = None

    def run(self, batch: Batch) -> bool:
        session = locked_session(batch, self.session)
        shares = SessionShare.objects.using(batch.alias)
        _, is_new = shares.get_or_create(session=session, user_id=self.user_pk, defaults={"by_id": self.by_pk})
        if is_new and self.entry is not None:
            batch.record(self.entry)
        return is_new


@dataclass(frozen=True, slots=True)
class UnshareSession:
    """Shows it to that person no longer; False if it was not shown. Raises NotThere."""

    session: str
    user_pk: int
    entry: Entry | None = None

    def run(self, batch: Batch) -> bool:
        session = locked_session(batch, self.session)
        ended, _ = SessionShare.objects.using(batch.alias).filter(session=session, user_id=self.user_pk).delete()
        if ended and self.entry is not None:
            batch.record(self.entry)
        return bool(ended)
