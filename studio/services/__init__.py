"""The only writes: each checks its right first and runs in a transaction."""
