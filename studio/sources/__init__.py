"""Kinds of sources: what is looked at for agents, beside webhooks and schedules. One kind a file."""
