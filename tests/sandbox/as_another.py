"""The attack list as a studio that does not run as root meets it: gives up root, then tries everything by the shell.

Prints a JSON object: for each attack what the model is told, and the processes that are left.
"""

import asyncio
import json
import os
import shutil
import sys
from pathlib import Path

from tests.sandbox.attacks import ATTACKS
from tests.sandbox.rig import Rig

SYSTEM_PYTHON = "/usr/bin/python3"


def main() -> None:
    """The arguments: an account, a folder that it may write, and what attacks look for.

    The interpreter in root's home is out of that account's reach.
    """
    account, home, things = int(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])
    rig = Rig(home)
    rig.desk()  # loads all that it needs of the interpreter, for it lies out of reach afterwards
    os.setgroups([])
    os.setresgid(account, account, account)
    os.setresuid(account, account, account)
    sys.base_prefix, sys.executable = "/usr", SYSTEM_PYTHON
    print(json.dumps(asyncio.run(_all(rig, things))))


async def _all(rig: Rig, things: dict[str, str]) -> dict[str, tuple[str, list[int]]]:
    found, has_python = {}, shutil.which(SYSTEM_PYTHON) is not None
    for name, attack in ATTACKS.items():
        if attack.tool == "shell" or has_python:
            found[name] = (await rig.told(attack.tool, attack.filled(things)), rig.left_running)
    return found


if __name__ == "__main__":
    main()
