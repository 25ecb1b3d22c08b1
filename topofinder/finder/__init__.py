"""The topology finder: bottom-up over sizes, by theorems, with Pareto pruning (section 5.4)."""
