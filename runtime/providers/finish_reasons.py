"""Why an answer ended, in our words."""

from typing import Final

FINISH_REASONS: Final = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
}


def reason_of(finish_reason: str) -> str:
    """Stop, tool_calls, length, refusal or other; empty while the provider has said nothing."""
    return FINISH_REASONS.get(finish_reason, "other") if finish_reason else ""
