"""First messages to choose from, for a person who does not know yet what to say to an agent."""

from studio.models import Agent

NEUTRAL = ("What can you do for me?", "What do you need to know from me first?", "Show me an example.")
OF_DEMONSTRATIONS = {
    "refund-desk": (
        "My bench came with a cracked leg",
        "I would like my money back for order 48213",
        "Where is my order?",
    ),
    "tutor": ("What is 3/4 plus 1/8?", "Explain why 1/2 is the same as 2/4", "Give me an exercise"),
    "clerk": (
        "Which invoices are not paid yet?",
        "When is the shop open on Saturday?",
        "Which supplier delivers oak?",
    ),
}


def openers_for(agent: Agent) -> tuple[str, ...]:
    """Three of them."""
    return OF_DEMONSTRATIONS.get(agent.name, NEUTRAL) if agent.is_demonstration else NEUTRAL
