"""What an operator has: hosts and panels with their ports, and the circuits in place."""
