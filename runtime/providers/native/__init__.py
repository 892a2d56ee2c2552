"""Models behind OpenAI-compatible addresses, spoken to directly: aiohttp is imported on first use."""

from runtime.providers.native.model import NativeModel

__all__ = ["NativeModel"]
