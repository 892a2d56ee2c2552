"""The runtime's Store port over Django: one writer thread, and the jobs that it can be asked to do."""

from studio.store.absent import NotThere
from studio.store.accepting import Accept, Withdraw
from studio.store.auditing import Entry
from studio.store.continuing import ContinueSession
from studio.store.creating import Created, CreateRollout, CreateSession, NewSession
from studio.store.deciding import Decide, NewGrant
from studio.store.django_store import DjangoStore
from studio.store.erasing import ArchiveSession, EraseSession, RenameSession
from studio.store.keys import KeyUse
from studio.store.memories import ChangeMemory, EraseMemories, memory_values
from studio.store.queue import ReadQueue
from studio.store.reading import events_after, pending_events, trajectory
from studio.store.writer import Writer, WriterClosed

__all__ = [
    "Accept",
    "ArchiveSession",
    "ChangeMemory",
    "ContinueSession",
    "CreateRollout",
    "CreateSession",
    "Created",
    "Decide",
    "DjangoStore",
    "Entry",
    "EraseMemories",
    "EraseSession",
    "KeyUse",
    "NewGrant",
    "NewSession",
    "NotThere",
    "ReadQueue",
    "RenameSession",
    "Withdraw",
    "Writer",
    "WriterClosed",
    "events_after",
    "memory_values",
    "pending_events",
    "trajectory",
]
