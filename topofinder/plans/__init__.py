"""Plans of moves as they are asked for and kept, for one fabric or a row of jobs."""
