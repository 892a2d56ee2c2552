"""What is set aside of a budget before a model call, and what is said when it does not fit. Source: runtime.md, 5."""

from collections.abc import Mapping

from runtime.domain.agent import Agent
from runtime.domain.context import Prompt
from runtime.domain.events import LimitKind, LimitReached, RolloutPaused
from runtime.domain.state import State
from runtime.domain.trajectory import STUDIO, Draft
from runtime.engine.shell import Price
from runtime.ports import OverBudget

ANSWER_TOKENS = 4096
"""How long an answer is taken to be where the agent file does not say."""


def has_budget(state: State, agent: Agent) -> bool:
    """Whether the tree that this rollout belongs to has one."""
    limits = agent.limits.raised(state.dealings.raised)
    return bool(limits.budget_tokens or limits.budget_usd) or (state.started is not None and state.started.reserves)


def reserved(state: State, agent: Agent, prompt: Prompt, prices: Mapping[str, Price]) -> tuple[int, float]:
    """Tokens and USD for the prompt and the longest answer; nothing where the tree has no budget."""
    if not has_budget(state, agent):
        return 0, 0.0
    asked = sum(len(str(message.get("content") or "")) for message in prompt.messages) // 4
    answer = int(prompt.settings.get("max_tokens") or ANSWER_TOKENS)
    known = prices.get(prompt.model)
    return asked + answer, asked * known[0] + answer * known[1] if known is not None else 0.0


def over(answer: OverBudget) -> list[Draft]:
    """The record of it, and the pause that asks for more."""
    kind = LimitKind(answer.what)
    if kind is LimitKind.BUDGET_USD:
        figures = f"${answer.used:.2f} of ${answer.limit:.2f} are used or set aside"
    else:
        figures = f"{answer.used:,.0f} of {answer.limit:,.0f} tokens are used or set aside"
    reason = f"The budget does not hold the next model call: {figures}. Raise the limit, or cancel."
    return [
        Draft(LimitReached(what=kind, limit=answer.limit, used=answer.used)),
        Draft(RolloutPaused(by=STUDIO, reason=reason)),
    ]
