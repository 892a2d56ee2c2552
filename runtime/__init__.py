"""The durable runtime of agents: a pure core, and an asyncio shell around it. Knows nothing of Django."""
