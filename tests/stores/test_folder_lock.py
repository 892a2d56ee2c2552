"""One process at a time runs rollouts on a data folder."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from studio.folder_lock import FolderInUse, FolderLock

HOLDER = """
import sys
from pathlib import Path
from studio.folder_lock import FolderLock
FolderLock(Path(sys.argv[1])).take()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_folder_in_use_names_the_process_that_has_it(tmp_path, holder):
    with pytest.raises(FolderInUse, match=f"Another Studio .process {holder.pid}. uses"):
        FolderLock(tmp_path).take()


def test_the_lock_of_a_killed_process_is_free_at_once(tmp_path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()

    lock = FolderLock(tmp_path)
    lock.take()
    lock.free()


def test_a_lock_that_was_freed_can_be_taken_again(tmp_path):
    first, second = FolderLock(tmp_path), FolderLock(tmp_path)
    first.take()
    with pytest.raises(FolderInUse):
        second.take()

    first.free()

    second.take()
    second.free()
