"""Well-known wirings with their own schedules, for comparison with what the search finds.

Each file holds one kind and enters it in the register; `register.BASELINES` maps names to them.
"""
