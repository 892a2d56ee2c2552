"""Models through LiteLLM: the only package that imports it, and only on first use."""

from runtime.providers.litellm.model import LiteLLMModel

__all__ = ["LiteLLMModel"]
