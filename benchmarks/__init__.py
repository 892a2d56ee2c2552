"""What a turn, a token, a kill and a start cost, beside bare loops in the same run: `python -m benchmarks`."""
