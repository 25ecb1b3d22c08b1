"""Distance-regular graphs of degree 4 (the paper's table 8): the family DistReg."""
