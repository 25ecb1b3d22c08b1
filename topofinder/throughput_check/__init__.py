"""An independent check of throughput certificates: it shares no code with the solver."""
