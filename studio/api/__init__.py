"""AMP, profile 1: JSON over HTTP under `/amp/v1/`."""
