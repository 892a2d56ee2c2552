"""What rollouts have spent and set aside, and what the budget of their tree holds."""

from typing import NamedTuple

from runtime.ports import OverBudget, Projection

USD_DIGITS = 9  # sums of floats are off by less


class Usage(NamedTuple):
    """Tokens and USD; of a budget 0 = no limit."""

    tokens: int = 0
    usd: float = 0.0

    def moved(self, before: "Usage", after: "Usage") -> "Usage":
        """The sum in which `after` stands in the place of `before`."""
        return Usage(self.tokens + after.tokens - before.tokens, self.usd + after.usd - before.usd)


def used_by(projection: Projection) -> Usage:
    """What the rollout has spent and set aside."""
    tokens = projection.tokens_in + projection.tokens_out + projection.reserved_tokens
    return Usage(tokens, projection.cost_usd + projection.reserved_usd)


def budget_of(projection: Projection) -> Usage:
    """The limits that a root sets for its tree."""
    return Usage(projection.budget_tokens, projection.budget_usd)


def over_budget(budget: Usage, now: Usage, then: Usage) -> OverBudget | None:
    """What does not hold if the tree's sum goes from `now` to `then`; None if all does."""
    if budget.tokens and then.tokens > budget.tokens:
        return OverBudget("budget.tokens", now.tokens, budget.tokens)
    if budget.usd and round(then.usd, USD_DIGITS) > budget.usd:
        return OverBudget("budget.usd", round(now.usd, USD_DIGITS), budget.usd)
    return None
