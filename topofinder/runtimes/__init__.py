"""Executors of programs: on numpy buffers in one process, under MPI, in PyTorch."""
