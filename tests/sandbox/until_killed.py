"""Runs one program that does not end, in the rig at the folder that it is given."""

import asyncio
import sys
from pathlib import Path

from tests.sandbox.rig import Rig

FOR_EVER = "trap '' TERM INT HUP; touch begun; (setsid sleep 600 &); sleep 600"

if __name__ == "__main__":
    asyncio.run(Rig(Path(sys.argv[1]), seconds=600).told("shell", FOR_EVER))
