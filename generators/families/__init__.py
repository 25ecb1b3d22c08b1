"""Base graphs, one family a file; `register_all` enters all of them in the register."""
