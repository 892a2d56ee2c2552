"""LiteLLM itself: imported late, in a thread, and told to keep quiet."""

import asyncio
import logging
import os
import sys
import threading
from typing import Any

_lock = threading.Lock()


async def library() -> Any:
    """The module `litellm`, ready. The first call costs seconds of CPU and is made in a thread."""
    ready = sys.modules.get("litellm")
    if ready is not None and not _lock.locked() and getattr(ready, "is_quiet_for_studio", False):
        return ready
    return await asyncio.to_thread(_load)


def _load() -> Any:
    with _lock:
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or it fetches prices when it is imported
        os.environ["LITELLM_MODE"] = "PRODUCTION"  # or it reads a .env file of the current folder
        os.environ["DISABLE_AIOHTTP_TRUST_ENV"] = "True"  # no proxies from the environment
        import litellm  # the slow one: 6 CPU seconds, 214 MB

        return _quieten(litellm)


def _quieten(litellm: Any) -> Any:
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)  # its warnings may quote prompts; errors reach us as such
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.disable_aiohttp_trust_env = True
    litellm.num_retries = 0
    litellm.drop_params = True  # a setting that a model does not know is left out, not an error
    litellm.REPEATED_STREAMING_CHUNK_LIMIT = sys.maxsize  # it ends a stream in which one text repeats 100 times
    litellm.callbacks, litellm.success_callback, litellm.failure_callback = [], [], []
    litellm.is_quiet_for_studio = True
    return litellm
