"""Training on a fabric: tables of models, rates of accelerators, and one iteration's time."""
