"""Pages: parse, one service or query, render."""
