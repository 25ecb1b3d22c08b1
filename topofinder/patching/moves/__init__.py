"""The order of the moves: stages, and what stays connected in the middle of them."""
