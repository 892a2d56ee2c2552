"""A real model: `manage.py localmodel` streams through each provider, and cancelling frees its slot."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from runtime.ports import Model, OutputDelta
from runtime.providers.connections import Connection
from runtime.providers.local_model import LITELLM_MODEL
from tests.providers.asking import answer, asking, finished, output, user
from tests.providers.conftest import Speaker

REPOSITORY = Path(__file__).parents[2]

pytestmark = pytest.mark.local_model


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where `manage.py localmodel` listens, as it prints it."""
    command = [sys.executable, "manage.py", "localmodel", "--port", "0"]
    process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = [process.stdout.readline(), process.stdout.readline()]
    assert "--address http://127.0.0.1:" in lines[1], f"the local model did not start: {lines}"
    yield lines[1].split()[-1]
    process.terminate()
    process.communicate(timeout=30)


@pytest.fixture
def smollm(address: str, speaker: Speaker) -> Model:
    return speaker(Connection(LITELLM_MODEL, name="smollm2", api_base=address))


async def test_a_real_model_streams_and_counts(smollm: Model) -> None:
    chunks = await answer(smollm, asking(user("Count to five."), settings={"max_tokens": 24, "temperature": 0}))

    pieces = [chunk for chunk in chunks if isinstance(chunk, OutputDelta)]
    assert output(chunks).strip()
    assert len(pieces) > 3
    assert (finished(chunks).tokens_in or 0) > 5
    assert (finished(chunks).tokens_out or 0) > 3


async def test_cancelling_frees_the_slot(smollm: Model, address: str) -> None:
    words = asyncio.Event()
    request = asking(user("Tell a very long story about a lighthouse."), settings={"max_tokens": 3000})

    async def listen() -> None:
        async for chunk in smollm.stream(request):
            if isinstance(chunk, OutputDelta):
                words.set()

    task = asyncio.create_task(listen())
    await asyncio.wait_for(words.wait(), 60)
    assert await busy_slots(address) == 1

    task.cancel()

    async with asyncio.timeout(10):
        while await busy_slots(address):
            await asyncio.sleep(0.02)
    with pytest.raises(asyncio.CancelledError):
        await task


async def busy_slots(address: str) -> int:
    """How many answers the server generates now."""
    async with aiohttp.ClientSession() as session, session.get(address.removesuffix("/v1") + "/slots") as answer:
        slots: list[dict[str, Any]] = await answer.json()
    return sum(slot["is_processing"] for slot in slots)
