"""For how many line-graph expansions in a row theorem 10's equality is certain."""

ALWAYS, ONCE, NEVER = 2, 1, 0
"""For all, for the first, for none that is known."""
