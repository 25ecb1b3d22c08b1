"""How kernels are run: as plain Python while their work is small, else compiled."""
