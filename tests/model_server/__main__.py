"""Run the scripted model server by itself; prints its base address when it listens."""

import argparse
import asyncio

from tests.model_server.server import ModelServer


async def main(port: int) -> None:
    """Serve until killed."""
    async with ModelServer(port) as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--port", type=int, default=9100, help="0 takes a free one")
asyncio.run(main(parser.parse_args().port))
